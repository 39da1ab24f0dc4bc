import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { DeleteOptions, ErasureOptions, ErasureReceipt } from "@agent-history/core";

import type { Ask, ItemKey } from "./driver.ts";
import { newHead, parseHead } from "./head.ts";
import type { Head } from "./head.ts";
import { threadsBelow, threadsIn } from "./list-threads.ts";
import { loadRow } from "./stored-log.ts";
import { bury, commitChange, inOrder, look, lookUnread, removeThread } from "./thread-access.ts";
import type { StoreCall, Thread } from "./thread-access.ts";

/** Erases a thread; with `includeForks`, also all threads below it. */
export async function eraseThread(
  thread: Thread,
  { includeForks = false, dryRun = false }: DeleteOptions = {},
): Promise<ErasureReceipt> {
  const find = async (): Promise<readonly Thread[]> => [
    thread,
    ...(includeForks ? await threadsBelow(thread) : []),
  ];
  return receiptOf(thread, "delete", await eraseFound(find, dryRun), dryRun);
}

/** Erases all threads of a user and the threads named below them: forks, and threads that do not belong to another user. */
export async function eraseUser(
  call: StoreCall,
  user: string,
  { dryRun = false }: ErasureOptions = {},
): Promise<ErasureReceipt> {
  const found = new Map<string, Thread>();
  const find = async (): Promise<readonly Thread[]> => {
    for (const own of await threadsIn(call, { user, prefix: "" })) found.set(own.threadId, own);
    for (const one of Array.from(found.values())) {
      for (const below of await threadsBelow(one)) {
        if (found.has(below.threadId)) continue;
        const { head } = await look(below, []);
        const owner = head?.about.user;
        const isOthers = typeof owner === "string" && owner !== user;
        if (head?.isFork === true || (head !== undefined && !isOthers))
          found.set(below.threadId, below);
      }
    }
    return [...found.values()];
  };
  return receiptOf(call, "eraseUser", await eraseFound(find, dryRun), dryRun);
}

/** Erases threads, and those that were being written meanwhile: once their source is deleted, forks fail or are found by the second search. */
async function eraseFound(
  find: () => Promise<readonly Thread[]>,
  dryRun: boolean,
): Promise<ThreadCounts> {
  let total = NONE;
  for (let left = dryRun ? 1 : 2; left > 0; left -= 1) {
    const threads = await find();
    total = sumOf(total, await countThreads(threads));
    if (!dryRun) await deleteThreads(threads);
  }
  return total;
}

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
    const { stamp, head, answers } = await lookToDelete(thread, 1);
    const [rows, summaries, states] = answers;
    total = sumOf(total, {
      threads: stamp !== 0 && head?.isDeleted !== true ? 1 : 0,
      entries: (rows?.rows[0]?.position ?? -1) + 1,
      summaries: summaries?.items.size ?? 0,
      states: states?.items.size ?? 0,
    });
  }
  return total;
}

/** Reads what a deletion needs, with the last `limit` rows. A thread with an unreadable head can still be deleted. */
async function lookToDelete(thread: Thread, limit: number) {
  const asks: readonly Ask[] = [
    { kind: "rows", from: 0, to: Number.MAX_SAFE_INTEGER, limit },
    { kind: "keys", of: "o" },
    { kind: "keys", of: "s" },
  ];
  const { stamp, head: text, answers } = await lookUnread(thread, asks);
  let head: Head | undefined;
  try {
    head = text === undefined ? undefined : parseHead(text);
  } catch {
    // A damaged head.
  }
  requireFree(head);
  return { stamp, head, answers };
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

/** Rows removed by one commit. */
const PAGE = 2000;

/** Deletes threads, each after its earlier writes. */
export async function deleteThreads(threads: readonly Thread[]): Promise<void> {
  for (const thread of threads)
    await inOrder(thread, [thread.threadId], async () => {
      throwIfAborted(thread.signal);
      await deleteThread(thread);
    });
}

/**
 * Deletes a thread: stores the hash of its name, which refuses late writes, then removes rows in pages behind a tombstone, which every method checks, and the last page together with the
 * name. If the process dies in between, another delete removes the rest.
 *
 * @throws `HistoryError` with code `THREAD_HELD`.
 */
async function deleteThread(given: Thread): Promise<void> {
  await lookToDelete(given, 1);
  // From here on, the caller can no longer abort.
  const thread = { ...given, signal: undefined };
  await bury(thread, true);
  for (;;) {
    const { stamp, head: known, answers } = await lookToDelete(thread, PAGE);
    const { rows = [] } = answers[0] ?? {};
    const entryCount = rows.length < PAGE ? 0 : (rows[0]?.position ?? 0);
    if (entryCount === 0) {
      if (await removeThread(thread, stamp)) return;
      continue;
    }
    const drop = rows.flatMap((row): readonly ItemKey[] => {
      try {
        return [["i", loadRow(row).entry.id]];
      } catch {
        return [];
      }
    });
    // The tombstone is found by the thread's name and user, so that another delete removes the rest.
    const head: Head = { ...(known ?? newHead(thread.now())), isDeleted: true, entryCount };
    await commitChange(thread, stamp, { head, keep: entryCount, drop });
  }
}

/** Makes the receipt of an erasure. */
export async function receiptOf(
  { system: store, now, remains }: StoreCall,
  erasure: ErasureReceipt["erasure"],
  counts: ThreadCounts,
  dryRun: boolean,
): Promise<ErasureReceipt> {
  const left = dryRun ? [] : await remains();
  return { erasure, store, atMs: now(), dryRun, ...counts, remains: left };
}
