import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { exportRecords } from "./export-records.ts";
import { IMPORT_MARK } from "./import-mark.ts";
import type { MoveOptions } from "./move-options.ts";
import { nextSum, storedRecord } from "./thread-record.ts";

/**
 * Writes a thread, and all threads named `<threadId>/…`, as lines of JSON: entries with their counts, summaries of every layer of every view, state, title, user and
 * tags. What a fork shares stands in it once. Works with every store; two exports of one thread are equal to the byte, whichever stores keep it.
 *
 * Left out is what belongs to the store and not to the conversation: versions and revisions, times, ids of replaced entries and operations; and, where an end of the thread
 * was replaced, the plans of the history manager.
 *
 * Reads in pages of 500 entries, each up to three times; in memory are two pages (for a fork also two of its parent), the summaries of one thread, and the names of threads and keys. What is
 * written meanwhile to a log makes it fail.
 *
 * @returns Lines, each with its line break.
 * @throws `HistoryError` with code `NOT_FOUND`, `THREAD_CORRUPT` where a row cannot be read (`details.position`, and `count`), `VERSION_CONFLICT` where the thread changes meanwhile or its own import
 * is not done, `INVALID_ENTRY` for an entry that no durable store would take.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 * import { exportThread, importThread } from "@agent-history/store-kit";
 *
 * const from = memoryStore();
 * await from.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * await from.fork("thread-1", { at: "u1", as: "try" });
 * const to = memoryStore();
 * await importThread(to, "thread-1", exportThread(from, "thread-1"));
 * // => { threads: 2, entries: 1, duplicate: false }
 * (await to.read("thread-1/try")).entries.map(({ id }) => id);
 * // => ["u1"]
 * ```
 */
export async function* exportThread(
  store: HistoryStore,
  threadId: string,
  options: MoveOptions = {},
): AsyncGenerator<string, void> {
  const { signal } = options;
  throwIfAborted(signal);
  const cancellation = signal && { signal };
  if ((await store.getState(threadId, IMPORT_MARK, cancellation)) !== undefined) {
    throw new HistoryError(
      "Expected a whole thread, but its import is not done. Import the same export once more.",
      { code: "VERSION_CONFLICT", details: { expected: "whole", actual: "importing" } },
    );
  }
  let sum = "";
  for await (const record of exportRecords(store, threadId, options)) {
    throwIfAborted(signal);
    const stored = storedRecord(record);
    sum = nextSum(sum, stored);
    yield `${JSON.stringify({ ...stored, sum })}\n`;
  }
}

/** The sum of the last line that an export of a thread has, also where its import is not done. */
export async function sumOfThread(
  store: HistoryStore,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  let sum = "";
  for await (const record of exportRecords(store, threadId, { signal })) {
    sum = nextSum(sum, storedRecord(record));
  }
  return sum;
}
