import type { DeleteOptions, ErasureOptions, ErasureReceipt } from "@agent-history/core";
import { throwIfAborted } from "@agent-history/core";

import { countThread, deleteThread } from "./delete-thread.ts";
import type { ThreadCounts } from "./delete-thread.ts";
import { NONE, receiptOf, sumOf } from "./erasure.ts";
import type { Erasing } from "./erasure.ts";
import { parseHead } from "./head.ts";
import { namesBelow, namesOf } from "./list-threads.ts";
import { lookAt } from "./thread-access.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** Erases a thread, and with `includeForks` all below it. */
export async function eraseThread(
  erasing: Erasing,
  threadId: string,
  { includeForks = false, dryRun = false, signal }: DeleteOptions,
): Promise<ErasureReceipt> {
  const { access } = erasing;
  const found = async (): Promise<readonly string[]> => [
    threadId,
    ...(includeForks ? await namesBelow(access, threadId, signal) : []),
  ];
  const counts = await countAll(erasing, await found(), signal);
  if (!dryRun) {
    await eraseAll(erasing, [threadId], signal);
    // A fork that is being made fails from here on, or is found.
    await eraseAll(erasing, await found(), signal);
  }
  return receiptOf(erasing, "delete", counts, dryRun);
}

/** How often a user's threads are looked for: others may write meanwhile. */
const MOST_ROUNDS = 20;

/** Erases all threads of a user, and what is below them. */
export async function eraseUser(
  erasing: Erasing,
  user: string,
  { dryRun = false, signal }: ErasureOptions,
): Promise<ErasureReceipt> {
  let total = NONE;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const names = await threadsOfUser(erasing.access, user, signal);
    if (names.length === 0 && round > 0) break;
    total = sumOf(total, await countAll(erasing, names, signal));
    if (dryRun) break;
    await eraseAll(erasing, names, signal);
    // What was below them is found again, if it was being made.
    await eraseAll(erasing, await belowAll(erasing.access, names, user, signal), signal);
  }
  return receiptOf(erasing, "eraseUser", total, dryRun);
}

/** The threads of a user, and those below them. */
async function threadsOfUser(
  access: ThreadAccess,
  user: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const names = await namesOf(access, { user, prefix: "" }, signal);
  return [...new Set([...names, ...(await belowAll(access, names, user, signal))])];
}

/** What is named below threads: copies, and what belongs to nobody else. */
async function belowAll(
  access: ThreadAccess,
  names: readonly string[],
  user: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const name of names) {
    for (const below of await namesBelow(access, name, signal)) {
      if (found.has(below)) continue;
      const { head: text } = await lookAt(access, below, [], signal);
      const head = text === undefined ? undefined : parseHead(text);
      const owner = head?.about.user;
      const isOthers = typeof owner === "string" && owner !== user;
      if (head !== undefined && (head.isFork === true || !isOthers)) found.add(below);
    }
  }
  return [...found];
}

/** Counts what is in threads. @throws `HistoryError` with code `THREAD_HELD`. */
export async function countAll(
  { access }: Erasing,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ThreadCounts> {
  let total = NONE;
  for (const name of names) total = sumOf(total, await countThread(access, name, signal));
  return total;
}

/** Deletes threads. */
export async function eraseAll(
  { access, inOrder }: Erasing,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of names)
    await inOrder(name, async () => {
      throwIfAborted(signal);
      await deleteThread(access, name, signal);
    });
}
