import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { Ask, ItemKey } from "./driver.ts";
import { newHead, parseHead } from "./head.ts";
import type { Head } from "./head.ts";
import { readableEntry } from "./stored-log.ts";
import { bury, commitChange, inOrder, look, lookUnread, removeName } from "./thread-access.ts";
import type { StoreCall, Thread } from "./thread-access.ts";

/** Rows removed by one commit. */
const PAGE = 2000;

/** Counts of a thread's content. */
export interface ThreadCounts {
  readonly threads: number;
  readonly entries: number;
  readonly summaries: number;
  readonly states: number;
}

export const NONE: ThreadCounts = { threads: 0, entries: 0, summaries: 0, states: 0 };

/** Adds two counts. */
export function sumOf(one: ThreadCounts, other: ThreadCounts): ThreadCounts {
  return {
    threads: one.threads + other.threads,
    entries: one.entries + other.entries,
    summaries: one.summaries + other.summaries,
    states: one.states + other.states,
  };
}

/** Counts the content of threads in any state. @throws `HistoryError` with code `THREAD_HELD`. */
export async function countThreads(threads: readonly Thread[]): Promise<ThreadCounts> {
  let total = NONE;
  for (const thread of threads) {
    const { stamp, known, rows, answers } = await lookToDelete(thread);
    const isThere = stamp !== 0 && known?.isDeleted !== true;
    total = sumOf(total, {
      threads: isThere ? 1 : 0,
      entries: rows,
      summaries: answers[1]?.items.size ?? 0,
      states: answers[2]?.items.size ?? 0,
    });
  }
  return total;
}

/** Reads what a deletion needs. A thread with an unreadable head can still be deleted. */
async function lookToDelete(thread: Thread) {
  const asks: readonly Ask[] = [
    { kind: "rows", from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 },
    { kind: "keys", of: "o" },
    { kind: "keys", of: "s" },
  ];
  const { stamp, head, answers } = await lookUnread(thread, asks);
  let known: Head | undefined;
  try {
    known = head === undefined ? undefined : parseHead(head);
  } catch {
    // A damaged head.
  }
  requireFree(known);
  return { stamp, known, answers, rows: (answers[0]?.rows[0]?.position ?? -1) + 1 };
}

/** Deletes threads, each after its earlier writes. */
export async function deleteThreads(threads: readonly Thread[]): Promise<void> {
  for (const thread of threads)
    await inOrder(thread, [thread.threadId], async () => {
      throwIfAborted(thread.signal);
      await deleteThread(thread);
    });
}

/**
 * Deletes a thread: first writes a tombstone, which every method checks, then removes the rows in pages, then the name. If the process dies in between, another delete removes the rest.
 *
 * @throws `HistoryError` with code `THREAD_HELD`.
 */
async function deleteThread(thread: Thread): Promise<void> {
  // Once the tombstone is written, the caller can no longer abort.
  const rest = { ...thread, signal: undefined };
  for (let isGone = false; ;) {
    const { stamp, known, rows } = await lookToDelete(thread);
    if (stamp === 0) {
      if (isGone) return;
      // Threads created after this remove themselves; those created before are found by the next iteration.
      await bury(thread, true);
      // Removes a leftover list entry of an interrupted erasure.
      await removeName(thread, stamp);
      isGone = true;
      continue;
    }
    const tombstone = tombstoneOf(thread, known);
    const isShort = rows <= PAGE;
    const head = { ...tombstone, entryCount: isShort ? 0 : rows };
    if (!(await commitChange(thread, stamp, { head, wipe: isShort }))) continue;
    if (!isShort) {
      await removeRows(rest, rows, tombstone);
      continue;
    }
    // From here on, the hash of the name refuses late writes.
    await bury(rest, true);
    await removeName(rest, stamp + 1);
  }
}

/** Makes a tombstone. It keeps user, fork flag and key name, so that the rest is found again if the process dies. */
function tombstoneOf({ now }: StoreCall, known: Head | undefined): Head {
  const { about: { user } = {}, keyName } = known ?? {};
  return {
    ...newHead(now()),
    ...(keyName !== undefined && { keyName }),
    isDeleted: true,
    ...(known?.isFork && { isFork: true }),
    about: user === undefined ? {} : { user },
  };
}

/** @throws `HistoryError` with code `THREAD_HELD`. */
export function requireFree(head: Head | undefined): void {
  const hold = head?.about.hold;
  if (typeof hold !== "string") return;
  throw new HistoryError(
    `The thread is on hold (${JSON.stringify(hold)}). None of it was erased. Lift the hold with \`setMetadata(thread, { hold: null })\` first.`,
    { code: "THREAD_HELD", details: { hold } },
  );
}

/** Removes all but the first rows and items of a tombstone. */
async function removeRows(thread: Thread, rows: number, head: Head): Promise<void> {
  for (let left = rows; left > PAGE;) {
    const keep = left - PAGE;
    const { stamp, answers } = await look(thread, [
      { kind: "rows", from: keep, to: left, limit: PAGE },
    ]);
    const drop = (answers[0]?.rows ?? []).flatMap((row): readonly ItemKey[] => {
      const entry = readableEntry(row);
      return entry === undefined ? [] : [["i", entry.id]];
    });
    if (await commitChange(thread, stamp, { head: { ...head, entryCount: keep }, keep, drop }))
      left = keep;
  }
}
