import type { DeleteOptions, ErasureOptions, ErasureReceipt } from "@agent-history/core";

import { countThreads, deleteThreads, NONE, sumOf } from "./delete-thread.ts";
import type { ThreadCounts } from "./delete-thread.ts";
import { threadsBelow, threadsOf } from "./list-threads.ts";
import { look } from "./thread-access.ts";
import type { StoreCall, Thread } from "./thread-access.ts";

/** Erases a thread; with `includeForks`, also all threads below it. */
export async function eraseThread(
  thread: Thread,
  { includeForks = false, dryRun = false }: DeleteOptions = {},
): Promise<ErasureReceipt> {
  const found = async (): Promise<readonly Thread[]> => [
    thread,
    ...(includeForks ? await threadsBelow(thread) : []),
  ];
  const counts = await countThreads(await found());
  if (!dryRun) {
    await deleteThreads([thread]);
    // A fork that is being written fails from here on, or is found here.
    await deleteThreads(await found());
  }
  return receiptOf(thread, "delete", counts, dryRun);
}

/** Most searches for a user's threads, as others may create threads meanwhile. */
const MOST_ROUNDS = 20;

/** Erases all threads of a user and the threads below them. */
export async function eraseUser(
  call: StoreCall,
  user: string,
  { dryRun = false }: ErasureOptions = {},
): Promise<ErasureReceipt> {
  let total = NONE;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const own = await threadsOf(call, user);
    const threads = [...own, ...(await belowAll(own, user))];
    if (threads.length === 0 && round > 0) break;
    total = sumOf(total, await countThreads(threads));
    if (dryRun) break;
    await deleteThreads(threads);
    // Finds forks that were being written during the deletion.
    await deleteThreads(await belowAll(threads, user));
  }
  return receiptOf(call, "eraseUser", total, dryRun);
}

/** Threads named below the given ones, without these: forks, and threads that do not belong to another user. */
async function belowAll(threads: readonly Thread[], user: string): Promise<readonly Thread[]> {
  const found = new Map<string, Thread>();
  for (const thread of threads) {
    for (const below of await threadsBelow(thread)) {
      if (found.has(below.threadId)) continue;
      const { head } = await look(below, []);
      const owner = head?.about.user;
      const isOthers = typeof owner === "string" && owner !== user;
      if (head !== undefined && (head.isFork === true || !isOthers))
        found.set(below.threadId, below);
    }
  }
  for (const { threadId } of threads) found.delete(threadId);
  return [...found.values()];
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
