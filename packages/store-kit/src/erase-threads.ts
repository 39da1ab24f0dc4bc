import type {
  DeleteOptions,
  ErasureOptions,
  ErasureReceipt,
  ErasureRemains,
  SweepOptions,
} from "@agent-history/core";
import { countOption, HistoryError, throwIfAborted } from "@agent-history/core";

import { countThread, deleteThread } from "./delete-thread.ts";
import type { ThreadCounts } from "./delete-thread.ts";
import { isPresent, parseHead } from "./head.ts";
import { listThreads, namesBelow } from "./list-threads.ts";
import { exportThread } from "./move-thread/export-thread.ts";
import { lookAt } from "./thread-access.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** What an erasure works with. */
export interface Erasing {
  readonly access: ThreadAccess;
  /** Runs a write to a thread after those before it. */
  readonly inOrder: (threadId: string, write: () => Promise<void>) => Promise<void>;
  readonly store: string;
  /** Clears what the engine can clear by itself, and says what may remain. */
  readonly remains: () => Promise<readonly ErasureRemains[]>;
}

export const NONE: ThreadCounts = { threads: 0, entries: 0, summaries: 0, states: 0 };

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
  if (typeof user !== "string" || user === "")
    throw new HistoryError("Expected `user` to be a non-empty string. Nothing was erased.", {
      code: "INVALID_OPTION",
      details: { option: "user" },
    });
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
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    throwIfAborted(signal);
    const options = { user, byTime: true, prefix: "", limit: 1000 };
    const next = cursor === undefined ? options : { ...options, cursor };
    const page = await access.driver.list(next, { signal });
    for (const [name] of page.threads) names.push(name);
    ({ cursor } = page);
  } while (cursor !== undefined);
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

/** Erases threads that are idle, whole families at once. */
export async function sweepThreads(
  erasing: Erasing,
  { idleMs, limit = 100, archive, dryRun = false, signal }: SweepOptions,
): Promise<ErasureReceipt> {
  const { access } = erasing;
  const untilMs = access.now() - countOption("idleMs", idleMs);
  let left = countOption("limit", limit);
  let total = NONE;
  let cursor: string | undefined;
  do {
    const idle = { idleSinceMs: untilMs, ...(signal && { signal }) };
    const page = await listThreads(access, { ...idle, ...(cursor !== undefined && { cursor }) });
    for (const { threadId, isFork } of page.threads) {
      if (left === 0) break;
      if (isFork === true && (await hasRoot(access, threadId, signal))) continue;
      const names = [threadId, ...(await namesBelow(access, threadId, signal))];
      if (!(await isIdle(access, names, untilMs, signal))) continue;
      if (!dryRun) await archive?.(threadId, exportThread(access, threadId, { signal }));
      total = sumOf(total, await countAll(erasing, names, signal));
      if (!dryRun) await eraseAll(erasing, names, signal);
      left -= 1;
    }
    ({ cursor } = page);
  } while (cursor !== undefined && left > 0);
  return receiptOf(erasing, "sweep", total, dryRun);
}

/** Whether a thread that this one is named below is there: it is swept with that. */
async function hasRoot(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let end = threadId.lastIndexOf("/"); end > 0; end = threadId.lastIndexOf("/", end - 1)) {
    const { head } = await lookAt(access, threadId.slice(0, end), [], signal);
    if (head !== undefined && isPresent(parseHead(head), undefined)) return true;
  }
  return false;
}

/** Whether threads were all left alone since a moment, and none of them is held. */
async function isIdle(
  access: ThreadAccess,
  names: readonly string[],
  untilMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const name of names) {
    const { head: text } = await lookAt(access, name, [], signal);
    const head = text === undefined ? undefined : parseHead(text);
    if (head === undefined || head.isDeleted === true) continue;
    if (head.updatedAtMs > untilMs || typeof head.about.hold === "string") return false;
  }
  return true;
}

async function countAll(
  { access }: Erasing,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ThreadCounts> {
  let total = NONE;
  for (const name of names) total = sumOf(total, await countThread(access, name, signal));
  return total;
}

async function eraseAll(
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

export function sumOf(one: ThreadCounts, other: ThreadCounts): ThreadCounts {
  return {
    threads: one.threads + other.threads,
    entries: one.entries + other.entries,
    summaries: one.summaries + other.summaries,
    states: one.states + other.states,
  };
}

export async function receiptOf(
  { access, store, remains }: Erasing,
  erasure: ErasureReceipt["erasure"],
  counts: ThreadCounts,
  dryRun: boolean,
): Promise<ErasureReceipt> {
  const left = dryRun ? [] : await remains();
  return { erasure, store, atMs: access.now(), dryRun, ...counts, remains: left };
}
