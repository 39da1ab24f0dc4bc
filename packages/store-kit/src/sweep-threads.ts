import type { ErasureReceipt, HistoryEntry, SweepOptions } from "@agent-history/core";
import { countOption, HistoryError, isHistoryError, MAX_QUERY_IDS } from "@agent-history/core";

import type { ThreadCounts } from "./delete-thread.ts";
import { eraseInFamily } from "./erase-entries.ts";
import { countAll, eraseAll } from "./erase-threads.ts";
import { NONE, receiptOf, sumOf } from "./erasure.ts";
import type { Erasing } from "./erasure.ts";
import { isPresent, parseHead } from "./head.ts";
import { listedPages, namesBelow } from "./list-threads.ts";
import { exportThread } from "./move-thread/export-thread.ts";
import { loadSound } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { knowThread, lookAt, writeThread } from "./thread-access.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** What is kept. */
interface Kept {
  readonly untilMs: number;
  readonly maxEntries: number;
  readonly keepPinned: boolean;
}

/** Erases what is kept no longer: idle threads, whole families at once, and the oldest entries of others. */
export async function sweepThreads(
  erasing: Erasing,
  { limit = 100, archive, dryRun = false, signal, ...given }: SweepOptions,
): Promise<ErasureReceipt> {
  const { access } = erasing;
  const kept = keptBy(erasing, given);
  const { untilMs } = kept;
  let left = limit;
  let total = NONE;
  // With the thread that they are named below.
  const gone = new Set<string>();
  for await (const page of listedPages(access, { prefix: "" }, signal)) {
    for (const [threadId, text] of page) {
      if (left === 0) break;
      const { isFork, ...head } = parseHead(text);
      // An erasure that ended half way is finished.
      if (head.isDeleted === true && !dryRun) await eraseAll(erasing, [threadId], signal);
      const mayGo = kept.maxEntries < Infinity || head.updatedAtMs <= untilMs;
      if (!mayGo || !isPresent(head, undefined) || gone.has(threadId)) continue;
      const isBelow = isFork === true && (await hasRoot(access, threadId, signal));
      const names = isBelow ? [] : [threadId, ...(await namesBelow(access, threadId, signal))];
      const isGoing = !isBelow && (await isIdle(access, names, untilMs, signal));
      if (isGoing && !dryRun && head.sealed === undefined)
        await archive?.(threadId, exportThread(access, threadId, { signal }));
      const counts = isGoing
        ? await countAll(erasing, names, signal)
        : await trimThread(erasing, threadId, kept, { dryRun, signal });
      if (isGoing && !dryRun) await eraseAll(erasing, names, signal);
      for (const name of isGoing ? names : []) gone.add(name);
      total = sumOf(total, counts);
      if (counts.threads > 0) left -= 1;
    }
    if (left === 0) break;
  }
  return receiptOf(erasing, "sweep", total, dryRun);
}

function keptBy(
  { access, retention }: Erasing,
  given: Pick<SweepOptions, "idleMs" | "maxEntries" | "keepPinned">,
): Kept {
  const idleMs = given.idleMs ?? retention.idleMs;
  const maxEntries = given.maxEntries ?? retention.maxEntries;
  if (idleMs === undefined && maxEntries === undefined)
    throw new HistoryError("Expected `idleMs` or `maxEntries`. Nothing was erased.", {
      code: "INVALID_OPTION",
      details: { option: "idleMs" },
    });
  return {
    untilMs: access.now() - countOption("idleMs", idleMs ?? Infinity),
    maxEntries: countOption("maxEntries", maxEntries ?? Infinity),
    keepPinned: given.keepPinned ?? retention.keepPinned ?? true,
  };
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

/** Whether a thread is there, it and those below it were all left alone since a moment, and none of them is held. */
async function isIdle(
  access: ThreadAccess,
  names: readonly string[],
  untilMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const name of names) {
    const { head: text } = await lookAt(access, name, [], signal);
    const head = text === undefined ? undefined : parseHead(text);
    if (head === undefined && name === names[0]) return false;
    if (head === undefined || head.isDeleted === true) continue;
    if (head.updatedAtMs > untilMs || typeof head.about.hold === "string") return false;
  }
  return true;
}

/** How many rows are looked through at once. */
const PAGE = 500;

/** What stays however old it is. */
const KEPT: ReadonlySet<string> = new Set(["system_message", "memory"]);

/** Erases the oldest entries of a thread that has too many, if it is not held. */
async function trimThread(
  erasing: Erasing,
  threadId: string,
  kept: Kept,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal | undefined },
): Promise<ThreadCounts> {
  const { access, inOrder } = erasing;
  const { head } = await knowThread(access, threadId, [], signal);
  if (head === undefined) return NONE;
  const { trimmed = 0, entryCount, cuts } = head;
  if (entryCount - trimmed <= kept.maxEntries) return NONE;
  const rows = await newestFirst(access, threadId, trimmed, entryCount, signal);
  const counted = rows.filter(({ entry }) => !staysAlways(entry, kept));
  const stay = wholeTurns(counted, kept.maxEntries);
  const ids = counted.slice(stay).map(({ entry }) => entry.id);
  if (ids.length === 0) return NONE;
  let total = NONE;
  try {
    for (let from = 0; from < ids.length; from += MAX_QUERY_IDS) {
      const some = ids.slice(from, from + MAX_QUERY_IDS);
      const { counts } = await eraseInFamily(erasing, threadId, some, dryRun, signal);
      total = { ...sumOf(total, counts), threads: Math.max(total.threads, counts.threads) };
    }
  } catch (error) {
    if (isHistoryError(error, "THREAD_HELD")) return NONE;
    throw error;
  }
  if (dryRun) return total;
  const to = counted[stay - 1]?.position ?? entryCount;
  await inOrder(threadId, async () =>
    writeThread<undefined>(
      access,
      threadId,
      {
        asks: [],
        isRecognized: true,
        decide: (known) =>
          known.head === undefined || known.head.cuts !== cuts
            ? { result: undefined }
            : { result: undefined, change: { head: { ...known.head, trimmed: to } } },
      },
      signal,
    ),
  );
  return total;
}

async function newestFirst(
  access: ThreadAccess,
  threadId: string,
  from: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<readonly LoadedRow[]> {
  const found: LoadedRow[] = [];
  for (let to = end; to > from; to -= PAGE) {
    const ask = { kind: "rows", from: Math.max(from, to - PAGE), to, limit: PAGE } as const;
    const { answers } = await lookAt(access, threadId, [ask], signal);
    for (const row of (answers[0]?.rows ?? []).toReversed()) found.push(loadSound(row));
  }
  return found.filter(({ isErased }) => !isErased);
}

function staysAlways({ type, pinned }: HistoryEntry, { keepPinned }: Kept): boolean {
  return KEPT.has(type) || (keepPinned && pinned === true);
}

/** How many of the newest entries stay: whole turns, and of a turn that is too long by itself no result without its call. */
function wholeTurns(rows: readonly LoadedRow[], maxEntries: number): number {
  let kept = Math.min(maxEntries, rows.length);
  const cut = rows[kept]?.turn;
  if (cut !== undefined && cut !== rows[0]?.turn)
    while (kept > 0 && rows[kept - 1]?.turn === cut) kept -= 1;
  if (kept < rows.length) while (rows[kept - 1]?.entry.type === "observation") kept -= 1;
  return kept;
}
