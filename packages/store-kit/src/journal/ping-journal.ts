import type { HistoryStore } from "@agent-history/core";

import type { Journal } from "../journal-store.ts";
import type { JournalLogs } from "./journal-logs.ts";
import { reach } from "./log-reader.ts";

/** Reads a log that no thread has: whether the journal answers. */
export function pingJournal(journal: Journal, logs: JournalLogs): HistoryStore["ping"] {
  const readNone = async (): Promise<void> => {
    for await (const _ of await journal.read("ping", 0)) return;
  };
  return async ({ signal } = {}) => {
    logs.enter(signal);
    await reach(readNone(), "STORE_UNAVAILABLE");
  };
}
