import { callTable } from "./call-table.ts";
import { describeEntry } from "./describe-entry.ts";
import type { EntryLine } from "./describe-entry.ts";
import { describeFolder } from "./describe-folder.ts";
import {
  describeBeginning,
  describeCompression,
  describeEnd,
  describeExpansion,
} from "./describe-run.ts";
import { printable } from "./output.ts";
import type { Output } from "./output.ts";
import type { Reporter } from "./reporter.ts";

const WHO_WIDTH = 18;
const TABLE_TITLE = "What the model saw of the thread, in tokens (o200k_base)";

/** Shows a run to a person: a line for each thing that happens, each answer whole, and at the end a table of what each role was shown. */
export function textReporter(
  output: Output,
  { everyCall = false }: { readonly everyCall?: boolean } = {},
): Reporter {
  const { colors, line, paragraph, width } = output;
  const paint = { plain: String, strong: colors.bold, quiet: colors.dim, bad: colors.red };
  const printLine = ({ who, what, tone }: EntryLine): void =>
    line(
      `${who.padEnd(WHO_WIDTH)} ${printable(what)}`,
      (text) => colors.cyan(text.slice(0, WHO_WIDTH)) + paint[tone](text.slice(WHO_WIDTH)),
    );
  return {
    wait: () => {},
    begin: (run) => {
      const [model = "", location = ""] = describeBeginning(run);
      line(printable(model), colors.yellow);
      line(printable(location), colors.dim);
    },
    resume: (question) => {
      paragraph("");
      printLine({ who: "user", what: `resumes: ${question}`, tone: "strong" });
    },
    entry: (entry) => {
      if (entry.type === "user_message") paragraph("");
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
    answer: ({ text }) => paragraph(`\n${printable(text)}\n`),
    end: (run) => {
      if (run.calls.length > 0) {
        line(TABLE_TITLE, colors.bold);
        const table = callTable(run.calls, { everyCall, width: width() });
        for (const row of table.split("\n")) line(row);
        paragraph("");
      }
      for (const text of describeEnd(run)) paragraph(printable(text));
      for (const text of describeFolder(run.folder)) paragraph(printable(text), colors.dim);
    },
  };
}
