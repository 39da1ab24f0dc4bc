import { HistoryError } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import { STATE_WITHIN } from "./append-entries.ts";
import type { Ask, Item, Row } from "./driver.ts";
import {
  keyDestroyed,
  notFound,
  noThread,
  presentHead,
  requireVersion,
  trimmedTo,
  versionOf,
} from "./head.ts";
import type { Head } from "./head.ts";
import {
  loadSound,
  OF_VIEW,
  positionIn,
  readableEntry,
  standingAt,
  stateAfter,
} from "./stored-log.ts";
import { overlaysIn, viewsOf } from "./summaries.ts";
import { beginHead, commitChange, knowThread, lookAt } from "./thread-access.ts";
import type { HeadChange, ThreadAccess } from "./thread-access.ts";
import { keptOverlays } from "./views.ts";

/** How many rows are copied at once. */
const PAGE = 500;

/** What `fork` is given. */
export interface ForkOptions {
  readonly at: string;
  readonly as: string;
  readonly under?: string | undefined;
  readonly operationId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The name of a fork. @throws `HistoryError` with code `INVALID_OPTION`. */
export function forkName(threadId: string, { as, under = threadId }: ForkOptions): string {
  if (!`${threadId}/`.startsWith(`${under}/`))
    throw new HistoryError(
      "Expected `under` to be the thread's name or a name above it. Nothing was sent.",
      { code: "INVALID_OPTION", details: { option: "under" } },
    );
  const forkId = `${under}/${as}`;
  requireName("threadId", forkId);
  return forkId;
}

/**
 * Copies the first entries of a thread to one of its own: in pages, under a head that says that the fork is in the making, which nobody finds until the last commit. What a fork that was
 * interrupted has left is removed by the next one of that name.
 */
export async function forkThread(
  access: ThreadAccess,
  threadId: string,
  forkId: string,
  { at, operationId, signal }: ForkOptions,
): Promise<{ readonly threadId: string }> {
  const asks: readonly Ask[] = [
    { kind: "named", ids: [at] },
    { kind: "items", of: "o" },
    { kind: "items", of: "e" },
  ];
  const madeBy = operationId === undefined ? undefined : JSON.stringify([at, operationId]);
  for (;;) {
    const { head, answers } = await knowThread(access, threadId, asks, signal);
    if (head === undefined) throw noThread();
    if (head.sealed !== undefined) throw keyDestroyed();
    const there = await knowThread(access, forkId, [], signal);
    if (madeBy !== undefined && there.head?.madeBy === madeBy) return { threadId: forkId };
    requireVersion("none", versionOf(there.head));
    const [named, summaries, erasedIds] = answers;
    const last = positionIn(named, at);
    if (last === undefined)
      throw notFound("Expected `at` to be the id of an entry of the thread.", at);
    const { key, erased, about } = head;
    const kept = keptOverlays(overlaysIn(summaries), last + 1);
    const isDone = await copyThread(access, {
      source: { threadId, head },
      count: last + 1,
      copyId: forkId,
      stamp: there.stamp,
      copy: {
        ...beginHead(access),
        // Hashes of what was erased are made with the key.
        key,
        ...(erased !== undefined && { erased }),
        ...trimmedTo(head, last + 1),
        isFork: true,
        about,
        ...(madeBy !== undefined && { madeBy }),
        views: viewsOf(kept, head.views, last + 1, () => 0),
        summaries: head.summaries,
      },
      put: [
        ...[...(erasedIds?.items ?? [])].map(([hash, value]): Item => ["e", hash, value]),
        ...kept.flatMap(({ summary: { id } }): readonly Item[] => [
          ["i", id, OF_VIEW],
          ["o", id, summaries?.items.get(id) ?? ""],
        ]),
      ],
      signal,
    });
    if (isDone) return { threadId: forkId };
  }
}

/** A copy of the first rows of a thread. */
interface Copying {
  readonly source: { readonly threadId: string; readonly head: Head };
  readonly count: number;
  readonly copyId: string;
  /** Of what stands under the name of the copy, which is removed. */
  readonly stamp: number;
  /** The head of the copy, but for its rows. */
  readonly copy: Head;
  /** Items of the copy besides those that name rows. */
  readonly put: readonly Item[];
  readonly signal: AbortSignal | undefined;
}

/** Copies rows; false if the end of the source was replaced meanwhile, or another made the copy. */
async function copyThread(
  access: ThreadAccess,
  { source, count, copyId, stamp, copy, put, signal }: Copying,
): Promise<boolean> {
  const forming: Head = { ...copy, forming: "fork", entryCount: 0, views: {} };
  let commits = stamp;
  const write = async (change: HeadChange): Promise<boolean> =>
    (await commitChange(access, copyId, commits++, change, signal)) === true;
  if (!(await write({ head: forming, wipe: true }))) return false;
  for (let from = 0; from < count; from += PAGE) {
    const to = Math.min(from + PAGE, count);
    const page = await copiedPage(access, source, { from, to }, signal);
    if (page === undefined) return false;
    if (!(await write({ head: { ...forming, entryCount: to }, ...page }))) return false;
  }
  const ask: Ask = { kind: "rows", from: 0, to: count, limit: STATE_WITHIN };
  const { head: now, answers } = await lookAt(access, source.threadId, [ask], signal);
  // What was read last is of the same log as what was read first.
  if (!isSameLog(source.head, presentHead(now, access.inside))) return false;
  const log = stateAfter((answers[0]?.rows ?? []).map(loadSound));
  return write({ head: { ...copy, entryCount: count, log }, put });
}

/** Whether no end was replaced and nothing was erased meanwhile. */
function isSameLog(before: Head, now: Head | undefined): boolean {
  return now !== undefined && now.cuts === before.cuts && now.erased === before.erased;
}

/** A page of rows with the items that name them; `undefined` if the parent is another log by now. */
async function copiedPage(
  access: ThreadAccess,
  { threadId, head }: Copying["source"],
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly put: readonly Item[] } | undefined> {
  const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
  const read = await lookAt(access, threadId, [ask], signal);
  if (!isSameLog(head, presentHead(read.head, access.inside))) return undefined;
  const rows = read.answers[0]?.rows ?? [];
  if (rows.length === 0) {
    throw new HistoryError(
      "Expected every row of the thread to be there. `verify` lists those that are missing; restore a backup.",
      { code: "THREAD_CORRUPT", details: { reason: "rows", position: from } },
    );
  }
  const put: Item[] = [];
  const turnIds = new Set<string>();
  for (const row of rows) {
    const entry = readableEntry(row);
    if (entry === undefined) continue;
    put.push(["i", entry.id, standingAt(row.position, undefined)]);
    if (entry.turnId !== undefined) turnIds.add(entry.turnId);
    if (entry.type === "task")
      for (const agent of ["*", `=${entry.agent.id}`]) put.push(["a", agent, String(row.position)]);
  }
  const turns = await lookAt(
    access,
    threadId,
    [{ kind: "items", of: "t", keys: [...turnIds] }],
    signal,
  );
  for (const [turn, value] of turns.answers[0]?.items ?? [])
    if (Number.parseInt(value, 10) < to) put.push(["t", turn, value]);
  return { rows, put };
}
