import type { HistoryStore } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { journalLists } from "./journal/journal-lists.ts";
import { journalLogs } from "./journal/journal-logs.ts";
import { logVerbs } from "./journal/log-verbs.ts";
import { pingJournal } from "./journal/ping-journal.ts";
import { stateVerbs } from "./journal/state-verbs.ts";
import { threadVerbs } from "./journal/thread-verbs.ts";

/**
 * Logs of lines, by name: files, rows of a table, objects in a bucket, a topic. `journalStore` writes one for each thread.
 *
 * A name has small letters, digits, `-`, `_` and `.`, at most 200 characters: a file's name on every system. A record is one line of JSON, without a line break. What is thrown arrives as
 * `STORE_UNAVAILABLE`, of a write as `OUTCOME_UNKNOWN`.
 */
export interface Journal {
  /**
   * Adds records to the end of a log, which it creates; next to each other, or none of them. Once it resolves, they are as durable as this log promises, and whatever stood
   * there before; each `read` that begins then returns them. Without records, only that is done.
   */
  append(log: string, records: readonly string[]): Promise<unknown>;
  /** Returns the records of a log in the order in which they were added, from the nth on (from 0); never a part of one. None where there is no log. */
  read(log: string, from: number): JournalRecords | Promise<JournalRecords>;
  /** Replaces all records of a log, in one step. A deleted thread keeps one record. */
  rewrite(log: string, records: readonly string[]): Promise<unknown>;
  /** Returns the names of all logs, in any order. */
  list(): JournalRecords | Promise<JournalRecords>;
  /** What a crash may cost, in one sentence, for `describe()`. */
  readonly durability?: string;
}

/** An array, or texts as they come. */
export type JournalRecords = Iterable<string> | AsyncIterable<string>;

/**
 * Makes a store of any log that keeps its order: all of the contract, for four functions. Handles and processes may share a log, without locks: a
 * record counts where it stands directly behind what its writer had read, so that of writers at once one wins and the others decide again.
 *
 * Each verb reads what its log has new; a thread that is used for the first time is read whole, and stays in memory (the last 100). Reads are answered
 * from an index there. A state's earlier values stay in the log until the thread is deleted.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if one of the functions is missing.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { journalStore } from "@agent-history/store-kit";
 *
 * const logs = new Map<string, readonly string[]>();
 * const store = journalStore({
 *   append: async (log, records) => logs.set(log, [...(logs.get(log) ?? []), ...records]),
 *   read: (log, from) => (logs.get(log) ?? []).slice(from),
 *   rewrite: async (log, records) => logs.set(log, records),
 *   list: () => logs.keys(),
 * });
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * const { entries } = await store.read("thread-1");
 * entries.map((entry) => entry.id);
 * // => ["u1"]
 * ```
 */
export function journalStore(journal: Journal): HistoryStore {
  for (const name of ["append", "read", "rewrite", "list"] as const) {
    if (typeof journal?.[name] === "function") continue;
    throw new HistoryError(`Expected \`${name}\` to be a function.`, {
      code: "INVALID_OPTION",
      details: { option: name },
    });
  }
  const logs = journalLogs(journal);
  return {
    ...logVerbs(logs),
    ...threadVerbs(logs),
    ...stateVerbs(logs),
    ...journalLists(journal, logs),
    ping: pingJournal(journal, logs),
    describe: async () => {
      logs.enter(undefined);
      const { durability = "A call that is done is as durable as the log makes it." } = journal;
      return { kind: "journal", durability, details: {} };
    },
    close: logs.close,
  };
}
