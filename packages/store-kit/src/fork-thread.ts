import { requireName } from "@agent-history/core/schema";

import { appended } from "./append-entries.ts";
import type { Item } from "./driver.ts";
import { requireVersion, trimmedTo, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { invalidOption, keyDestroyed, notFound, noThread } from "./store-errors.ts";
import { OF_VIEW, positionIn } from "./stored-log.ts";
import { overlaysIn, withoutSummaries } from "./summaries.ts";
import type { Overlay } from "./summaries.ts";
import { beginHead, commitChange, inOrder, know, pagesOf } from "./thread-access.ts";
import type { Thread, ThreadVerb } from "./thread-access.ts";

/**
 * Copies the first entries of a thread to a new thread, in pages. Its head marks it as being written, so that it is invisible until the last commit. Leftovers of an interrupted fork are
 * removed by the next fork of the same name.
 */
export const forkThread: ThreadVerb<"fork"> = async (thread, options) => {
  const { at, as, under = thread.threadId, operationId } = options;
  if (!`${thread.threadId}/`.startsWith(`${under}/`))
    throw invalidOption(
      "under",
      "Expected `under` to be the thread's name or a name above it. Nothing was sent.",
    );
  const threadId = `${under}/${as}`;
  requireName("threadId", threadId);
  const madeBy = operationId === undefined ? undefined : JSON.stringify([at, operationId]);
  return inOrder(thread, [thread.threadId, threadId], async () => {
    while (!(await tryFork(thread, { ...thread, threadId }, at, madeBy)));
    return { threadId };
  });
};

/** Appends the rows to the copy. Returns false if the end of the source was replaced or entries were erased meanwhile, or another writer made the fork. */
async function tryFork(thread: Thread, fork: Thread, at: string, madeBy: string | undefined) {
  const { head, answers } = await know(thread, [
    { kind: "items", of: "i", keys: [at] },
    { kind: "items", of: "o" },
    { kind: "items", of: "e" },
  ]);
  if (head === undefined) throw noThread();
  if (head.sealed !== undefined) throw keyDestroyed();
  const there = await know(fork);
  if (madeBy !== undefined && there.head?.madeBy === madeBy) return true;
  requireVersion("none", versionOf(there.head));
  const [named, summaries, erasedIds] = answers;
  const last = positionIn(named, at);
  if (last === undefined)
    throw notFound("Expected `at` to be the id of an entry of the thread.", at);
  const { key, erased, about } = head;
  let copy: Head = {
    ...beginHead(thread),
    // The hashes of erased ids are made with this key.
    key,
    ...(erased !== undefined && { erased }),
    ...(madeBy !== undefined && { madeBy }),
    isFork: true,
    forming: "fork",
    about,
    summaries: head.summaries,
  };
  let { stamp } = there;
  if (!(await commitChange(fork, stamp++, { head: copy, wipe: true }))) return false;
  const turns = new Map<string, string>();
  for await (const rows of pagesOf(thread, head, 0, last + 1)) {
    if (rows === undefined) return false;
    const { change } = appended(copy, { entries: rows, bytes: 0 }, copy.updatedAtMs, { turns });
    for (const [kind, id, value] of change.put ?? []) if (kind === "t") turns.set(id, value);
    if (!(await commitChange(fork, stamp++, change))) return false;
    copy = change.head;
  }
  const end = last + 1;
  const isCut = ({ runs }: Overlay): boolean => runs.some(([, to]) => to >= end);
  const { kept, views } = withoutSummaries(head, overlaysIn(summaries), isCut, end, () => 0);
  const put: Item[] = [];
  for (const [hash, value] of erasedIds?.items ?? []) put.push(["e", hash, value]);
  for (const { summary } of kept)
    put.push(["i", summary.id, OF_VIEW], ["o", summary.id, summaries?.items.get(summary.id) ?? ""]);
  const { forming: _, ...whole } = copy;
  return commitChange(fork, stamp, {
    head: { ...whole, ...trimmedTo(head, end), views },
    put,
  });
}
