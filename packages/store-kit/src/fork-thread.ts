import { HistoryError } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import { STATE_WITHIN } from "./append-entries.ts";
import type { Answer, Ask, Item, Row } from "./driver.ts";
import { presentHead, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { OF_VIEW, positionIn, standingAt } from "./known-entries.ts";
import {
  noThread,
  notFound,
  requireEntryId,
  requireForkName,
  requireNameAbove,
  requireOperationId,
  requireVersion,
} from "./requirements.ts";
import { loadSound, readableEntry, stateAfter } from "./rows.ts";
import { overlayItem, overlaysIn, placedAgain, viewsOf } from "./summaries.ts";
import { beginHead, commitChange, knowThread, lookAt } from "./thread-access.ts";
import type { HeadChange, Known, ThreadAccess } from "./thread-access.ts";
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
  requireForkName(as);
  requireNameAbove(threadId, under);
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
  options: ForkOptions,
): Promise<{ readonly threadId: string }> {
  const { at, operationId, signal } = options;
  requireEntryId("at", at);
  if (operationId !== undefined) requireOperationId(operationId);
  for (;;) {
    const parent = await knowThread(
      access,
      threadId,
      [
        { kind: "named", ids: [at] },
        { kind: "items", of: "o" },
        { kind: "items", of: "e" },
      ],
      signal,
    );
    const { head, answers } = parent;
    if (head === undefined) throw noThread();
    const there = await knowThread(access, forkId, [], signal);
    if (there.head?.madeBy !== undefined && there.head.madeBy === madeBy(at, operationId))
      return { threadId: forkId };
    requireVersion("none", versionOf(there.head));
    const last = positionIn(answers[0], at);
    if (last === undefined)
      throw notFound("Expected `at` to be the id of an entry of the thread.", at);
    const isDone = await copyThread(
      access,
      { threadId, head, answers, forkId, count: last + 1, there },
      options,
    );
    if (isDone) return { threadId: forkId };
  }
}

interface Copying {
  readonly threadId: string;
  readonly head: Head;
  readonly answers: readonly Answer[];
  readonly forkId: string;
  /** How many entries are copied. */
  readonly count: number;
  readonly there: Known;
}

/** Copies; false if the parent's end was replaced meanwhile, or another made the fork. */
async function copyThread(
  access: ThreadAccess,
  { threadId, head, answers, forkId, count, there }: Copying,
  { at, operationId, signal }: ForkOptions,
): Promise<boolean> {
  // Hashes of what was erased are made with the key.
  const { key, erased } = head;
  const whole: Head = { ...beginHead(access), key, isFork: true, ...(erased && { erased }) };
  const forming: Head = { ...whole, forming: "fork" };
  let { stamp } = there;
  const write = async (change: HeadChange): Promise<boolean> => {
    const done = await commitChange(access, forkId, stamp, change, signal);
    if (done === true) stamp += 1;
    return done === true;
  };
  if (!(await write({ head: forming, wipe: true }))) return false;
  for (let from = 0; from < count; from += PAGE) {
    const to = Math.min(from + PAGE, count);
    const page = await copiedPage(access, threadId, { from, to }, head, signal);
    if (page === undefined) return false;
    if (!(await write({ head: { ...forming, entryCount: to }, ...page }))) return false;
  }
  const before = await lookAt(
    access,
    threadId,
    [{ kind: "rows", from: 0, to: count, limit: STATE_WITHIN }],
    signal,
  );
  const kept = await placedAgain(
    access,
    threadId,
    keptOverlays(overlaysIn(answers[1]), count),
    signal,
  );
  // What was read last is of the same log as what was read first.
  const { head: now } = await lookAt(access, threadId, [], signal);
  if (!isSameLog(head, presentHead(now, access.inside))) return false;
  const erasedIds = answers[2]?.items ?? [];
  const by = madeBy(at, operationId);
  return write({
    head: {
      ...whole,
      about: head.about,
      ...(by !== undefined && { madeBy: by }),
      entryCount: count,
      log: stateAfter((before.answers[0]?.rows ?? []).map(loadSound)),
      views: viewsOf(kept, new Map(kept.map(({ view }) => [view, 0]))),
      summaries: head.summaries,
    },
    put: [
      ...[...erasedIds].map(([hash, value]): Item => ["e", hash, value]),
      ...kept.flatMap((one): readonly Item[] => [["i", one.summary.id, OF_VIEW], overlayItem(one)]),
    ],
  });
}

/** Whether no end was replaced and nothing was erased meanwhile. */
function isSameLog(before: Head, now: Head | undefined): boolean {
  return now !== undefined && now.cuts === before.cuts && now.erased === before.erased;
}

function madeBy(at: string, operationId: string | undefined): string | undefined {
  return operationId === undefined ? undefined : JSON.stringify([at, operationId]);
}

/** A page of rows with the items that name them; `undefined` if the parent is another log by now. */
async function copiedPage(
  access: ThreadAccess,
  threadId: string,
  { from, to }: { readonly from: number; readonly to: number },
  head: Head,
  signal: AbortSignal | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly put: readonly Item[] } | undefined> {
  const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
  const read = await lookAt(access, threadId, [ask], signal);
  if (!isSameLog(head, presentHead(read.head, access.inside))) return undefined;
  const rows = read.answers[0]?.rows ?? [];
  if (rows.length === 0) {
    throw new HistoryError(
      "Expected the rows of the thread that it says it has. `verify` lists those that are missing; restore a backup.",
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
