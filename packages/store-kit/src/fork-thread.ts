import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import { appended } from "./append-entries.ts";
import type { LookedUp } from "./append-entries.ts";
import type { Ask, Item } from "./driver.ts";
import { presentHead, requireVersion, trimmedTo, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { invalidOption, keyDestroyed, notFound, noThread } from "./store-errors.ts";
import { loadPage, OF_VIEW, positionIn } from "./stored-log.ts";
import { viewsOf } from "./summaries.ts";
import { beginHead, commitChange, inOrder, know, look } from "./thread-access.ts";
import type { Known, Thread } from "./thread-access.ts";
import { keptOverlays, overlaysIn } from "./views.ts";

/** Rows copied by one commit. */
const PAGE = 500;

/**
 * Copies the first entries of a thread to a new thread, in pages. Its head marks it as being written, so that it is invisible until the last commit. Leftovers of an interrupted fork are
 * removed by the next fork of the same name.
 */
export async function forkThread(
  thread: Thread,
  options: Parameters<HistoryStore["fork"]>[1],
): ReturnType<HistoryStore["fork"]> {
  const { at, as, under = thread.threadId, operationId } = options;
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
      const source = await know(thread, asks);
      if (source.head === undefined) throw noThread();
      if (source.head.sealed !== undefined) throw keyDestroyed();
      const there = await know(fork);
      if (madeBy !== undefined && there.head?.madeBy === madeBy) return { threadId };
      requireVersion("none", versionOf(there.head));
      const last = positionIn(source.answers[0], at);
      if (last === undefined)
        throw notFound("Expected `at` to be the id of an entry of the thread.", at);
      const { key, erased, about, summaries } = source.head;
      const begun: Head = {
        ...beginHead(thread),
        // The hashes of erased ids are made with this key.
        key,
        ...(erased !== undefined && { erased }),
        ...(madeBy !== undefined && { madeBy }),
        isFork: true,
        about,
        summaries,
      };
      if (
        await copyThread(thread, fork, {
          source,
          head: source.head,
          begun,
          count: last + 1,
          stamp: there.stamp,
        })
      )
        return { threadId };
    }
  });
}

interface Copying {
  readonly source: Known;
  readonly head: Head;
  /** The head of the copy, still without entries, and the stamp of what stands under its name. */
  readonly begun: Head;
  readonly stamp: number;
  /** How many rows to copy. */
  readonly count: number;
}

/** Appends the rows to the copy. Returns false if the end of the source was replaced or entries were erased meanwhile, or another writer made the fork. */
async function copyThread(
  thread: Thread,
  fork: Thread,
  { source, head, begun, stamp, count }: Copying,
): Promise<boolean> {
  const [, summaries, erasedIds] = source.answers;
  const turns = new Map<string, string>();
  const known: LookedUp = { turns, ids: new Map() };
  let copy: Head = { ...begun, forming: "fork" };
  let commits = stamp;
  if (!(await commitChange(fork, commits++, { head: copy, wipe: true }))) return false;
  while (copy.entryCount < count) {
    const from = copy.entryCount;
    const to = Math.min(from + PAGE, count);
    const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
    const read = await look(thread, [ask]);
    const now = presentHead(read.head, thread.inside);
    if (now?.cuts !== head.cuts || now.erased !== head.erased) return false;
    const entries = loadPage(read.answers[0], from, to);
    const { change } = appended(copy, { entries, bytes: 0 }, copy.updatedAtMs, known);
    for (const [kind, key, value] of change.put ?? []) if (kind === "t") turns.set(key, value);
    if (!(await commitChange(fork, commits++, change))) return false;
    copy = change.head;
  }
  const kept = keptOverlays(overlaysIn(summaries), count);
  const put: Item[] = [];
  for (const [hash, value] of erasedIds?.items ?? []) put.push(["e", hash, value]);
  for (const {
    summary: { id },
  } of kept)
    put.push(["i", id, OF_VIEW], ["o", id, summaries?.items.get(id) ?? ""]);
  const { forming: _, ...whole } = copy;
  const views = viewsOf(kept, head.views, count, () => 0);
  return commitChange(fork, commits, {
    head: { ...whole, ...trimmedTo(head, count), views },
    put,
  });
}
