import type { MoveOptions } from "@agent-history/core";
import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { Ask } from "../driver.ts";
import { keyDestroyed, presentHead, versionOf } from "../head.ts";
import type { Head } from "../head.ts";
import { namesBelow } from "../list-threads.ts";
import { otherWork } from "../patience.ts";
import { loadRow } from "../stored-log.ts";
import type { LoadedRow } from "../stored-log.ts";
import { listSummaries } from "../summaries.ts";
import { knowThread, lookAt } from "../thread-access.ts";
import type { ThreadAccess } from "../thread-access.ts";
import { listState } from "../thread-state.ts";
import { HEADER, nextSum, storedRecord } from "./export-format.ts";
import type { ThreadRecord } from "./export-format.ts";

/** How many rows are read at once. */
const PAGE = 500;
/** How many values of state are read at once: each may have a megabyte. */
const STATE_PAGE = 10;

/**
 * With this the keys of state begin under which the history manager keeps plans. A plan knows entries by their ids; where an end of the thread was replaced, these may have
 * stood for others, which an import cannot know: no export of such a thread has plans.
 */
const PLAN_KEYS = "history-manager/prompt:";

/** Writes a thread, and all threads named below it, as lines. */
export async function* exportThread(
  access: ThreadAccess,
  threadId: string,
  options: MoveOptions,
): AsyncGenerator<string, void> {
  let sum = "";
  for await (const record of exportRecords(access, threadId, options)) {
    const stored = storedRecord(record);
    sum = nextSum(sum, stored);
    yield `${JSON.stringify({ ...stored, sum })}\n`;
  }
}

/** The sum of the last line that an export of a thread has. */
export async function sumOfThread(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  let sum = "";
  for await (const record of exportRecords(access, threadId, { signal }))
    sum = nextSum(sum, storedRecord(record));
  return sum;
}

/** A thread that is exported, with its head as it was first seen. */
interface Source {
  readonly access: ThreadAccess;
  readonly threadId: string;
  readonly head: Head;
  readonly signal: AbortSignal | undefined;
}

/** Gives the records of a thread and of what is named below it, parents first. */
async function* exportRecords(
  access: ThreadAccess,
  threadId: string,
  { signal, onProgress }: MoveOptions,
): AsyncGenerator<ThreadRecord> {
  throwIfAborted(signal);
  const sources = new Map<string, Source>();
  for (const name of [threadId, ...(await namesBelow(access, threadId, signal))]) {
    // A thread below may be deleted or be in the making.
    const { head } = await knowThread(access, name, [], signal);
    if (head?.sealed !== undefined) throw keyDestroyed();
    if (head !== undefined)
      sources.set(name.slice(threadId.length), { access, threadId: name, head, signal });
    else if (name === threadId) throw noSuchThread();
  }
  const counts = { threads: 0, entries: 0 };
  yield HEADER;
  for (const [name, source] of sources) {
    counts.threads += 1;
    const { about, isFork = false } = source.head;
    const { title = null, user = null, tags = [] } = about;
    yield { kind: "thread", name, isFork, title, user, tags };
    for await (const rows of pagesOf(source)) {
      counts.entries += rows.length;
      onProgress?.({ ...counts });
      throwIfAborted(signal);
      for (const row of rows) yield recordOf(row);
    }
    yield* besideRecords(source);
    requireSame(source.head, (await knowThread(access, source.threadId, [], signal)).head);
  }
  yield { kind: "end", ...counts };
}

/** An import names turns as the append did. */
function recordOf({ given, tokens }: LoadedRow): ThreadRecord {
  const counts = tokens.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { kind: "entry", entry: given, tokens: counts };
}

/** The rows of a log, without those that were erased. @throws `HistoryError` with code `THREAD_CORRUPT`, `VERSION_CONFLICT`. */
async function* pagesOf({
  access,
  threadId,
  head,
  signal,
}: Source): AsyncGenerator<readonly LoadedRow[], undefined> {
  for (let from = 0; from < head.entryCount; from += PAGE) {
    const to = Math.min(from + PAGE, head.entryCount);
    const ask: Ask = { kind: "rows", from, to, limit: PAGE, forward: true };
    const read = await lookAt(access, threadId, [ask], signal);
    requireSame(head, presentHead(read.head, access.inside));
    const rows = new Map<number, LoadedRow>();
    for (const row of read.answers[0]?.rows ?? []) {
      try {
        rows.set(row.position, loadRow(row));
      } catch {
        // Counted below, with those that are missing.
      }
    }
    const positions = Array.from({ length: to - from }, (_, nth) => from + nth);
    const broken = positions.filter((position) => !rows.has(position));
    if (broken.length > 0) throw corrupt(broken[0] ?? from, broken.length);
    yield [...rows.values()].filter(({ isErased }) => !isErased);
    await otherWork();
  }
}

function requireSame(head: Head, now: Head | undefined): void {
  const [expected, actual] = [versionOf(head) ?? 0, versionOf(now) ?? 0];
  if (actual !== expected)
    throw new HistoryError(
      `Expected the thread not to change while it is exported: its version was ${expected} and is ${actual}. Export it once more.`,
      { code: "VERSION_CONFLICT", details: { expected, actual } },
    );
}

/** Summaries and state of a thread. */
async function* besideRecords({
  access,
  threadId,
  head,
  signal,
}: Source): AsyncGenerator<ThreadRecord> {
  for (const summary of await listSummaries(access, threadId, { signal }))
    yield { kind: "summary", summary };
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? {} : { cursor };
    const options = { limit: STATE_PAGE, ...next, ...(signal && { signal }) };
    const page = await listState(access, threadId, options);
    for (const { key, value } of page.items)
      // The version of a thread counts replacements, its length does not.
      if (head.changes === 0 || !key.startsWith(PLAN_KEYS)) yield { kind: "state", key, value };
    ({ cursor } = page);
  } while (cursor !== undefined);
}

function noSuchThread(): HistoryError {
  return new HistoryError("Expected the id of a thread of the store.", { code: "NOT_FOUND" });
}

function corrupt(position: number, count: number): HistoryError {
  return new HistoryError(
    "Expected every row of the thread to be readable. `verify` lists those that are not; restore a backup, or export an earlier fork.",
    { code: "THREAD_CORRUPT", details: { reason: "rows", position, count } },
  );
}
