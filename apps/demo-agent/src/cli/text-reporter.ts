import { callTable } from "./call-table.ts";
import { describeEntry } from "./describe-entry.ts";
import type { EntryLine } from "./describe-entry.ts";
import { describeFolder } from "./describe-folder.ts";
import { printable } from "./output.ts";
import type { Output } from "./output.ts";
import type { Reporter } from "./reporter.ts";

const WHO_WIDTH = 18;

const BANNER = [
  "The model is the built-in offline model: it plans by rule, looks for words and quotes. It needs no key and invents nothing.",
  "A real model: pass your own ChatModel to createAgentTeam(), see apps/demo-agent/README.md.",
];

/** Shows a run to a person: a line for each thing that happens, each answer whole, and a table of all calls at the end. */
export function textReporter(output: Output): Reporter {
  const { colors, write, line } = output;
  const paint = { plain: String, strong: colors.bold, quiet: colors.dim, bad: colors.red };
  const printLine = ({ who, what, tone }: EntryLine): void =>
    line(`${colors.cyan(who.padEnd(WHO_WIDTH))} ${paint[tone](printable(what))}`);
  return {
    folder: (folder) => {
      for (const text of BANNER) write(colors.yellow(text));
      for (const text of describeFolder(folder)) line(colors.dim(printable(text)));
    },
    entry: (entry) => {
      if (entry.type === "user_message") write("");
      describeEntry(entry).forEach(printLine);
    },
    answer: ({ text }) => write(`\n${printable(text)}\n`),
    calls: (records) => {
      if (records.length === 0) return;
      write(colors.bold("What each call of the model was shown, in tokens (o200k_base)"));
      write(callTable(records));
    },
  };
}
