import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { Ask, ItemKey } from "./driver.ts";
import { newHead, parseHead } from "./head.ts";
import type { Head } from "./head.ts";
import { readableEntry } from "./stored-log.ts";
import { bury, commitChange, inOrder, look, lookUnread, removeName } from "./thread-access.ts";
import type { StoreCall, Thread } from "./thread-access.ts";

/** How many rows are removed at once. */
const PAGE = 2000;

/** What a thread has. */
export interface ThreadCounts {
  readonly threads: number;
  readonly entries: number;
  readonly summaries: number;
  readonly states: number;
}

export const NONE: ThreadCounts = { threads: 0, entries: 0, summaries: 0, states: 0 };

/** Adds what was found. */
export function sumOf(one: ThreadCounts, other: ThreadCounts): ThreadCounts {
  return {
    threads: one.threads + other.threads,
    entries: one.entries + other.entries,
    summaries: one.summaries + other.summaries,
    states: one.states + other.states,
  };
}

/** Counts what is in threads, whatever state they are in. @throws `HistoryError` with code `THREAD_HELD`. */
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

/** Looks at a thread. A head that cannot be read keeps nobody from deleting it. */
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
    // Damaged.
  }
  requireFree(known);
  return { stamp, known, answers, rows: (answers[0]?.rows[0]?.position ?? -1) + 1 };
}

/** Deletes threads, each behind the writes before it. */
export async function deleteThreads(threads: readonly Thread[]): Promise<void> {
  for (const thread of threads)
    await inOrder(thread, [thread.threadId], async () => {
      throwIfAborted(thread.signal);
      await deleteThread(thread);
    });
}

/**
 * Deletes a thread: a tombstone first, which every verb meets, then its rows in pages, then its name. If the process dies in between, deleting once more removes the rest.
 *
 * @throws `HistoryError` with code `THREAD_HELD`.
 */
async function deleteThread(thread: Thread): Promise<void> {
  // Once it is deleted no caller gives up.
  const rest = { ...thread, signal: undefined };
  for (let isGone = false; ;) {
    const { stamp, known, rows } = await lookToDelete(thread);
    if (stamp === 0) {
      if (isGone) return;
      // Whoever begins it from here on takes that back; who did before is found by looking once more.
      await bury(thread, true);
      // What is left of it in a list, if an erasure ended before that.
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
    // From here on the hash of the name refuses what comes late.
    await bury(rest, true);
    await removeName(rest, stamp + 1);
  }
}

/** By the user, and below its root, the rest is found once more if the process dies. */
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
    `Expected a thread that is not held; it is, by ${JSON.stringify(hold)}. Nothing of it was erased. Lift the hold with \`setMetadata(thread, { hold: null })\` first.`,
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
