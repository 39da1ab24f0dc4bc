import type { Output } from "./output.ts";
import type { Reporter } from "./reporter.ts";

/** Shows a run to a program: one JSON object a line for each event, discriminated by `event`. */
export function jsonReporter({ write }: Output): Reporter {
  const event = (name: string, fields: object): void =>
    write(JSON.stringify({ event: name, ...fields }));
  return {
    wait: () => {},
    begin: (run) => event("begin", { ...run }),
    resume: (question) => event("resume", { question }),
    entry: (entry) => event("entry", { entry }),
    call: ({ messages: _, ...record }) => event("call", record),
    modelEvent: (agent, { type, ...fields }) => event(type, { agent, ...fields }),
    compression: (record) => event("compression", { ...record }),
    expansion: (record) => event("expansion", { ...record }),
    answer: (answer) => event("answer", { ...answer }),
    end: ({ calls, compressions, folder, ...run }) => {
      const { root, documents, sizeBytes, skipped } = folder;
      event("folder", { root, files: documents.length, sizeBytes, skipped });
      event("end", { ...run, calls: calls.length, compressions: compressions.length });
    },
  };
}
