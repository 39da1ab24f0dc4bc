import { requireName } from "@agent-history/core/schema";

import { STATE_WITHIN } from "./append-entries.ts";
import type { Ask, Item, Row } from "./driver.ts";
import { presentHead, requireVersion, trimmedTo, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { corrupt, invalidOption, keyDestroyed, notFound, noThread } from "./store-errors.ts";
import { loadSound, OF_VIEW, positionIn, readableEntry, stateAfter } from "./stored-log.ts";
import { viewsOf } from "./summaries.ts";
import { beginHead, commitChange, inOrder, know, look } from "./thread-access.ts";
import type { Known, Thread } from "./thread-access.ts";
import { keptOverlays, overlaysIn } from "./views.ts";

/** Rows copied by one commit. */
const PAGE = 500;

/** Options of `fork`. */
export interface ForkOptions {
  readonly at: string;
  readonly as: string;
  readonly under?: string | undefined;
  readonly operationId?: string | undefined;
}

/**
 * Copies the first entries of a thread to a new thread, in pages. Its head marks it as being written, so that it is invisible until the last commit. Leftovers of an interrupted fork are
 * removed by the next fork of the same name.
 */
export async function forkThread(
  thread: Thread,
  { at, as, under = thread.threadId, operationId }: ForkOptions,
): Promise<{ readonly threadId: string }> {
  if (!`${thread.threadId}/`.startsWith(`${under}/`))
    throw invalidOption(
      "under",
      "Expected `under` to be the thread's name or a name above it. Nothing was sent.",
    );
  const threadId = `${under}/${as}`;
  requireName("threadId", threadId);
  const fork = { ...thread, threadId };
  const madeBy = operationId === undefined ? undefined : JSON.stringify([at, operationId]);
  const asks: readonly Ask[] = [
    { kind: "items", of: "i", keys: [at] },
    { kind: "items", of: "o" },
    { kind: "items", of: "e" },
  ];
  return inOrder(thread, [thread.threadId, threadId], async () => {
    for (;;) {
      const { head, answers } = await know(thread, asks);
      if (head === undefined) throw noThread();
      if (head.sealed !== undefined) throw keyDestroyed();
      const there = await know(fork);
      if (madeBy !== undefined && there.head?.madeBy === madeBy) return { threadId };
      requireVersion("none", versionOf(there.head));
      const last = positionIn(answers[0], at);
      if (last === undefined)
        throw notFound("Expected `at` to be the id of an entry of the thread.", at);
      const source = { thread, head, count: last + 1 };
      const { copy, put } = copyOf(source, answers);
      const made = { ...copy, ...(madeBy !== undefined && { madeBy }) };
      if (await copyThread(source, fork, there.stamp, made, put)) return { threadId };
    }
  });
}

/** The thread to copy, and how many of its rows. */
interface Source {
  readonly thread: Thread;
  readonly head: Head;
  readonly count: number;
}

/** The head of the copy, still without rows, and the items that do not refer to rows. */
function copyOf(
  { thread, head, count }: Source,
  [, summaries, erasedIds]: Known["answers"],
): { readonly copy: Head; readonly put: readonly Item[] } {
  const { key, erased, about } = head;
  const kept = keptOverlays(overlaysIn(summaries), count);
  const copy: Head = {
    ...beginHead(thread),
    // The hashes of erased ids are made with this key.
    key,
    ...(erased !== undefined && { erased }),
    ...trimmedTo(head, count),
    isFork: true,
    about,
    views: viewsOf(kept, head.views, count, () => 0),
    summaries: head.summaries,
  };
  const put: Item[] = [];
  for (const [hash, value] of erasedIds?.items ?? []) put.push(["e", hash, value]);
  for (const { summary } of kept) {
    const { id } = summary;
    put.push(["i", id, OF_VIEW], ["o", id, summaries?.items.get(id) ?? ""]);
  }
  return { copy, put };
}

/** Copies rows. Returns false if the end of the source was replaced meanwhile, or another writer made the fork. */
async function copyThread(
  source: Source,
  fork: Thread,
  stamp: number,
  copy: Head,
  put: readonly Item[],
): Promise<boolean> {
  const { count } = source;
  const forming: Head = { ...copy, forming: "fork", entryCount: 0, views: {} };
  let commits = stamp;
  if (!(await commitChange(fork, commits++, { head: forming, wipe: true }))) return false;
  for (let from = 0; from < count; from += PAGE) {
    const to = Math.min(from + PAGE, count);
    const page = await copiedPage(source, from, to);
    if (page === undefined) return false;
    const change = { head: { ...forming, entryCount: to }, ...page };
    if (!(await commitChange(fork, commits++, change))) return false;
  }
  const ask: Ask = { kind: "rows", from: 0, to: count, limit: STATE_WITHIN };
  // Checks that the last read is of the same log as the first one.
  const answers = await lookAtSame(source, [ask]);
  if (answers === undefined) return false;
  const log = stateAfter((answers[0]?.rows ?? []).map(loadSound));
  return commitChange(fork, commits, { head: { ...copy, entryCount: count, log }, put });
}

/** Reads from the source; `undefined` if its end was replaced or entries were erased meanwhile. */
async function lookAtSame(
  { thread, head }: Source,
  asks: readonly Ask[],
): Promise<Known["answers"] | undefined> {
  const read = await look(thread, asks);
  const now = presentHead(read.head, thread.inside);
  return now?.cuts === head.cuts && now.erased === head.erased ? read.answers : undefined;
}

/** A page of rows with the items that refer to them. */
async function copiedPage(
  source: Source,
  from: number,
  to: number,
): Promise<{ readonly rows: readonly Row[]; readonly put: readonly Item[] } | undefined> {
  const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
  const answers = await lookAtSame(source, [ask]);
  if (answers === undefined) return undefined;
  const rows = answers[0]?.rows ?? [];
  if (rows.length === 0) throw corrupt("every row", { reason: "rows", position: from });
  const put: Item[] = [];
  const turnIds = new Set<string>();
  for (const row of rows) {
    const entry = readableEntry(row);
    if (entry === undefined) continue;
    const at = String(row.position);
    put.push(["i", entry.id, at]);
    if (entry.turnId !== undefined) turnIds.add(entry.turnId);
    if (entry.type === "task") put.push(["a", "*", at], ["a", `=${entry.agent.id}`, at]);
  }
  const turns = await look(source.thread, [{ kind: "items", of: "t", keys: [...turnIds] }]);
  for (const [turn, value] of turns.answers[0]?.items ?? [])
    if (Number.parseInt(value, 10) < to) put.push(["t", turn, value]);
  return { rows, put };
}
