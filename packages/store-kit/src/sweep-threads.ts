import type { HistoryEntry, Retention } from "@agent-history/core";
import { countOption, isHistoryError, MAX_QUERY_IDS } from "@agent-history/core";

import type { DriverPage } from "./driver.ts";
import { eraseInFamily, eraseThreads, withReceipt } from "./erasure.ts";
import type { ErasedCounts } from "./erasure.ts";
import { isPresent, parseHead } from "./head.ts";
import { listedPages, threadsBelow } from "./list-threads.ts";
import { exportThread } from "./move-thread.ts";
import { invalidOption } from "./store-errors.ts";
import type { LoadedRow } from "./stored-log.ts";
import { inOrder, know, look, pagesOf, writeThread } from "./thread-access.ts";
import type { StoreCall, StoreVerb, Thread } from "./thread-access.ts";

/** What a sweep keeps. */
type Kept = ReturnType<typeof keptBy>;

/** Applies the retention: erases idle threads together with the threads below them, and the oldest entries of threads that are too long. */
export const sweepThreads: StoreVerb<"sweep"> = async (call, options = {}) => {
  const { limit = 100, archive, dryRun = false, ...given } = options;
  const kept = keptBy(call, given);
  let left = limit;
  // Threads that were already erased together with a thread above them.
  const gone = new Set<string>();
  return withReceipt(call, "sweep", dryRun, async (counts) => {
    for await (const page of listedPages(call, { prefix: "", byTime: false }))
      for (const listed of page.threads) if (left > 0) await sweepThread(listed, counts);
  });

  async function sweepThread(
    [threadId, text]: DriverPage["threads"][number],
    counts: ErasedCounts,
  ) {
    const thread = { ...call, threadId };
    const { isFork, ...head } = parseHead(text);
    // Finishes an interrupted erasure.
    if (head.isDeleted === true) await eraseThreads([thread], dryRun, { ...counts });
    const mayGo = kept.maxEntries < Infinity || head.updatedAtMs <= kept.untilMs;
    if (!mayGo || !isPresent(head) || gone.has(threadId)) return;
    const isBelow = isFork === true && (await hasRoot(thread));
    const threads = isBelow ? [] : [thread, ...(await threadsBelow(thread))];
    const { threads: before } = counts;
    if (!isBelow && (await isIdle(threads, kept.untilMs))) {
      if (!dryRun && head.sealed === undefined) await archive?.(threadId, exportThread(thread));
      await eraseThreads(threads, dryRun, counts);
      for (const one of threads) gone.add(one.threadId);
    } else await trimThread(thread, kept, dryRun, counts);
    if (counts.threads > before) left -= 1;
  }
};

function keptBy({ now, retention }: StoreCall, given: Retention) {
  const { idleMs = retention.idleMs, maxEntries = retention.maxEntries } = given;
  if (idleMs === undefined && maxEntries === undefined)
    throw invalidOption("idleMs", "Expected `idleMs` or `maxEntries`. Nothing was erased.");
  return {
    untilMs: now() - countOption("idleMs", idleMs ?? Infinity),
    maxEntries: countOption("maxEntries", maxEntries ?? Infinity),
    keepPinned: given.keepPinned ?? retention.keepPinned ?? true,
  };
}

/** Whether a thread above this one exists: then both are swept together. */
async function hasRoot({ threadId, ...call }: Thread): Promise<boolean> {
  for (let end = threadId.lastIndexOf("/"); end > 0; end = threadId.lastIndexOf("/", end - 1)) {
    const { head } = await look({ ...call, threadId: threadId.slice(0, end) }, []);
    if (head !== undefined && isPresent(head)) return true;
  }
  return false;
}

/** Whether the first thread exists, none of the threads was written after `untilMs`, and none is held. */
async function isIdle(threads: readonly Thread[], untilMs: number): Promise<boolean> {
  for (const thread of threads) {
    const { head } = await look(thread, []);
    if (head === undefined && thread === threads[0]) return false;
    if (head === undefined || head.isDeleted === true) continue;
    if (head.updatedAtMs > untilMs || typeof head.about.hold === "string") return false;
  }
  return true;
}

/** Types of entries that are kept at any age. */
const KEPT: ReadonlySet<string> = new Set(["system_message", "memory"]);

/** Erases the oldest entries of a thread that has more than `maxEntries`, unless it is held. */
async function trimThread(thread: Thread, kept: Kept, dryRun: boolean, counts: ErasedCounts) {
  const { head } = await know(thread);
  const { trimmed = 0, entryCount = 0, cuts } = head ?? {};
  if (head === undefined || entryCount - trimmed <= kept.maxEntries) return;
  const found: LoadedRow[] = [];
  // If the log has changed, only what was read so far counts.
  for await (const rows of pagesOf(thread, head, trimmed, entryCount))
    for (const row of rows ?? [])
      if (!row.isErased && !staysAlways(row.entry, kept)) found.push(row);
  const counted = found.toReversed();
  const stay = wholeTurns(counted, kept.maxEntries);
  const ids = counted.slice(stay).map(({ entry }) => entry.id);
  const { threads: before } = counts;
  let most = before;
  try {
    for (let from = 0; from < ids.length; from += MAX_QUERY_IDS) {
      counts.threads = before;
      await eraseInFamily(thread, ids.slice(from, from + MAX_QUERY_IDS), dryRun, counts);
      most = Math.max(most, counts.threads);
    }
  } catch (error) {
    if (isHistoryError(error, "THREAD_HELD")) return;
    throw error;
  }
  counts.threads = most;
  if (dryRun || ids.length === 0) return;
  const to = counted[stay - 1]?.position ?? entryCount;
  await inOrder(thread, [thread.threadId], async () =>
    writeThread<undefined>(thread, [], ({ head: now }) => ({
      result: undefined,
      ...(now !== undefined && now.cuts === cuts && { change: { head: { ...now, trimmed: to } } }),
    })),
  );
}

function staysAlways({ type, pinned }: HistoryEntry, { keepPinned }: Kept): boolean {
  return KEPT.has(type) || (keepPinned && pinned === true);
}

/** How many of the newest entries to keep: whole turns; if one turn alone is too long, a part of it that does not begin with a tool result. */
function wholeTurns(rows: readonly LoadedRow[], maxEntries: number): number {
  let kept = Math.min(maxEntries, rows.length);
  const cut = rows[kept]?.turn;
  if (cut !== undefined && cut !== rows[0]?.turn)
    while (kept > 0 && rows[kept - 1]?.turn === cut) kept -= 1;
  if (kept < rows.length) while (rows[kept - 1]?.entry.type === "observation") kept -= 1;
  return kept;
}
