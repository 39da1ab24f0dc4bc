import type { Journal } from "@agent-history/store-kit";

/** A journal in memory: arrays of records, by name. */
export function arrayJournal(logs: Map<string, readonly string[]>): Journal {
  return {
    append: async (log, records) => {
      // Writers at once have read before any of them writes.
      await Promise.resolve();
      if (records.length > 0) logs.set(log, [...(logs.get(log) ?? []), ...records]);
    },
    read: async (log, from) => (logs.get(log) ?? []).slice(from),
    rewrite: async (log, records) => logs.set(log, records),
    list: () => logs.keys(),
  };
}
