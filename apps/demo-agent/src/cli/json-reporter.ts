import type { Output } from "./output.ts";
import type { Reporter } from "./reporter.ts";

/** Shows a run to a program: one JSON object on a line for each thing that happens, told apart by `event`. */
export function jsonReporter({ write }: Output): Reporter {
  const event = (name: string, fields: object): void =>
    write(JSON.stringify({ event: name, ...fields }));
  return {
    folder: ({ root, documents, sizeBytes, skipped }) =>
      event("folder", { root, files: documents.length, sizeBytes, skipped }),
    entry: (entry) => event("entry", { entry }),
    answer: (answer) => event("answer", { ...answer }),
    calls: (records) => {
      for (const { messages: _, ...record } of records) event("call", record);
    },
  };
}
