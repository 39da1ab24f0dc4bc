import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { Ask } from "../driver.ts";
import { presentHead, versionOf } from "../head.ts";
import type { Head } from "../head.ts";
import { threadsBelow } from "../list-threads.ts";
import { corrupt, keyDestroyed, notFound } from "../store-errors.ts";
import { loadRow } from "../stored-log.ts";
import type { LoadedRow } from "../stored-log.ts";
import { listSummaries } from "../summaries.ts";
import { know, look, pause } from "../thread-access.ts";
import type { Thread } from "../thread-access.ts";
import { listState } from "../thread-state.ts";
import { HEADER, nextSum, storedRecord } from "./export-format.ts";
import type { ThreadRecord } from "./export-format.ts";

/** Rows per read. */
const PAGE = 500;
/** State values per read: each may have one megabyte. */
const STATE_PAGE = 10;

/**
 * Prefix of the state keys under which the history manager stores plans. A plan refers to entries by id. If an end of the thread was replaced, an id may have belonged to another
 * entry, which an import cannot detect: exports of such threads contain no plans.
 */
const PLAN_KEYS = "history-manager/prompt:";

/** Exports a thread and all threads named below it, as lines. */
export async function* exportThread(thread: Thread): AsyncGenerator<string, void> {
  let sum = "";
  for await (const record of exportRecords(thread)) {
    const stored = storedRecord(record);
    sum = nextSum(sum, stored);
    yield `${JSON.stringify({ ...stored, sum })}\n`;
  }
}

/** The checksum of the last line of a thread's export. */
export async function sumOfThread(thread: Thread): Promise<string> {
  let sum = "";
  for await (const record of exportRecords(thread)) sum = nextSum(sum, storedRecord(record));
  return sum;
}

/** Yields the records of a thread and of the threads below it, parents first. */
async function* exportRecords(root: Thread): AsyncGenerator<ThreadRecord> {
  const found: (readonly [thread: Thread, head: Head])[] = [];
  for (const thread of [root, ...(await threadsBelow(root))]) {
    // A thread below may be deleted or still being written.
    const { head } = await know(thread);
    if (head?.sealed !== undefined) throw keyDestroyed();
    if (head !== undefined) found.push([thread, head]);
    else if (thread === root) throw notFound("The store has no thread with this id.");
  }
  let entries = 0;
  yield HEADER;
  for (const [thread, head] of found) {
    const { about, isFork = false } = head;
    const { title = null, user = null, tags = [] } = about;
    const name = thread.threadId.slice(root.threadId.length);
    yield { kind: "thread", name, isFork, title, user, tags };
    for (let from = 0; from < head.entryCount; from += PAGE) {
      throwIfAborted(root.signal);
      const rows = await pageOf(thread, head, from);
      entries += rows.length;
      for (const { given, tokens } of rows) {
        const counts = tokens.toSorted(([one], [other]) => (one < other ? -1 : 1));
        // Exports entries as appended: the import assigns the same turn ids as the append did.
        yield { kind: "entry", entry: given, tokens: counts };
      }
      await pause();
    }
    for (const summary of await listSummaries(thread)) yield { kind: "summary", summary };
    yield* stateOf(thread, head);
    requireSame(head, (await know(thread)).head);
  }
  yield { kind: "end", threads: found.length, entries };
}

/** A page of a log, without erased entries. @throws `HistoryError` with code `THREAD_CORRUPT`, `VERSION_CONFLICT`. */
async function pageOf(thread: Thread, head: Head, from: number): Promise<readonly LoadedRow[]> {
  const to = Math.min(from + PAGE, head.entryCount);
  const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
  const read = await look(thread, [ask]);
  requireSame(head, presentHead(read.head, thread.inside));
  const rows = new Map<number, LoadedRow>();
  for (const row of read.answers[0]?.rows ?? []) {
    try {
      rows.set(row.position, loadRow(row));
    } catch {
      // Counted below with the missing rows.
    }
  }
  const count = to - from - rows.size;
  if (count === 0) return [...rows.values()].filter(({ isErased }) => !isErased);
  let position = from;
  while (rows.has(position)) position += 1;
  throw corrupt("every row", { reason: "rows", position, count });
}

async function* stateOf(thread: Thread, head: Head): AsyncGenerator<ThreadRecord> {
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? {} : { cursor };
    const page = await listState(thread, { limit: STATE_PAGE, ...next });
    for (const { key, value } of page.items)
      // `changes` is 0 only if no end of the thread was ever replaced.
      if (head.changes === 0 || !key.startsWith(PLAN_KEYS)) yield { kind: "state", key, value };
    ({ cursor } = page);
  } while (cursor !== undefined);
}

function requireSame(head: Head, now: Head | undefined): void {
  const [expected, actual] = [versionOf(head) ?? 0, versionOf(now) ?? 0];
  if (actual !== expected)
    throw new HistoryError(
      `The thread changed during the export: its version was ${expected} and is now ${actual}. Export it again.`,
      { code: "VERSION_CONFLICT", details: { expected, actual } },
    );
}
