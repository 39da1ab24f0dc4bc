import { callTable } from "./call-table.ts";
import { describeEntry } from "./describe-entry.ts";
import type { EntryLine } from "./describe-entry.ts";
import { describeFolder } from "./describe-folder.ts";
import {
  describeBeginning,
  describeCompression,
  describeEnd,
  describeExpansion,
  describeModel,
} from "./describe-run.ts";
import { printable } from "./output.ts";
import type { Output } from "./output.ts";
import type { Reporter } from "./reporter.ts";

const WHO_WIDTH = 18;

/** Shows a run to a person: a line for each thing that happens, each answer whole, and a table of all calls at the end. */
export function textReporter(output: Output): Reporter {
  const { colors, write, line } = output;
  const paint = { plain: String, strong: colors.bold, quiet: colors.dim, bad: colors.red };
  const printLine = ({ who, what, tone }: EntryLine): void =>
    line(`${colors.cyan(who.padEnd(WHO_WIDTH))} ${paint[tone](printable(what))}`);
  return {
    begin: (run) => {
      for (const text of describeModel(run)) write(colors.yellow(printable(text)));
      for (const text of describeBeginning(run)) write(colors.dim(printable(text)));
    },
    folder: (folder) => {
      for (const text of describeFolder(folder)) line(colors.dim(printable(text)));
    },
    resume: (question) => {
      write("");
      printLine({ who: "user", what: `goes on with: ${question}`, tone: "strong" });
    },
    entry: (entry) => {
      if (entry.type === "user_message") write("");
      describeEntry(entry).forEach(printLine);
    },
    call: () => {},
    modelEvent: ({ id }, event) => {
      if (event.type !== "retry") return;
      printLine({ who: id, what: `tries again: ${event.reason}`, tone: "bad" });
    },
    compression: (record) =>
      printLine({ who: "compression", what: describeCompression(record), tone: "quiet" }),
    expansion: (record) =>
      printLine({ who: "compression", what: describeExpansion(record), tone: "quiet" }),
    answer: ({ text }) => write(`\n${printable(text)}\n`),
    end: (run) => {
      if (run.calls.length === 0) return;
      write(colors.bold("What each call of the model was shown, in tokens (o200k_base)"));
      write(`${callTable(run.calls)}\n`);
      for (const text of describeEnd(run)) line(printable(text));
    },
  };
}
