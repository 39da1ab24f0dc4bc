import type { MoveOptions, SummaryEntry } from "@agent-history/core";
import { HistoryError, throwIfAborted } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";

import type { Ask } from "../driver.ts";
import { presentHead, versionOf } from "../head.ts";
import type { Head } from "../head.ts";
import { namesBelow } from "../list-threads.ts";
import { otherWork } from "../patience.ts";
import { loadRow } from "../rows.ts";
import type { LoadedRow } from "../rows.ts";
import { overlaysIn } from "../summaries.ts";
import { knowThread, lookAt } from "../thread-access.ts";
import type { ThreadAccess } from "../thread-access.ts";
import { listState } from "../thread-state.ts";
import { HEADER, nextSum, storedRecord } from "./thread-record.ts";
import type { ThreadRecord } from "./thread-record.ts";

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

/** A thread that is exported. */
interface Source {
  readonly access: ThreadAccess;
  readonly threadId: string;
  /** As it was first seen. */
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
  requireName("threadId", threadId);
  const sources = new Map<string, Source>();
  const below = await namesBelow(access, threadId, signal);
  for (const name of ["", ...below.map((one) => one.slice(threadId.length))]) {
    const found = await sourceOf(access, `${threadId}${name}`, signal);
    if (found !== undefined) sources.set(name, found);
    else if (name === "") throw noSuchThread();
  }
  const counts = { threads: 0, entries: 0 };
  yield HEADER;
  for (const [name, source] of sources) {
    const parent = parentOf(name);
    counts.threads += 1;
    const from = parent === undefined ? undefined : sources.get(parent);
    for await (const page of logRecords(name, source, from)) {
      counts.entries += page.filter(({ kind }) => kind === "entry").length;
      onProgress?.({ ...counts });
      throwIfAborted(signal);
      yield* page;
    }
  }
  for (const [name, source] of sources) {
    yield { kind: "beside", name };
    yield* besideRecords(source);
    await requireUnchanged(source);
  }
  for (const [name, { head }] of [...sources].toReversed()) {
    const { title = null, user = null, tags = [] } = head.about;
    yield { kind: "metadata", name, title, user, tags };
  }
  yield { kind: "end", ...counts };
}

/** The thread that one is a fork of, by its name; `undefined` where no fork is named so. */
export function parentOf(name: string): string | undefined {
  const slash = name.lastIndexOf("/");
  return slash < 0 || slash === name.length - 1 ? undefined : name.slice(0, slash);
}

/** A thread below may be deleted or be in the making. */
async function sourceOf(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<Source | undefined> {
  const { head } = await knowThread(access, threadId, [], signal);
  return head && { access, threadId, head, signal };
}

/** The records of a log in pages, without what it shares with the parent. */
async function* logRecords(
  name: string,
  source: Source,
  parent: Source | undefined,
): AsyncGenerator<readonly ThreadRecord[]> {
  const { entryCount, isFork } = source.head;
  const shared = { count: 0, at: undefined as string | undefined };
  let isShared = parent !== undefined;
  const begin = (): ThreadRecord => ({
    kind: "thread",
    name,
    shared: shared.count,
    ...(shared.at !== undefined && { at: shared.at }),
    ...(isFork === true && { isFork }),
  });
  if (!isShared) yield [begin()];
  for (let from = 0; from < entryCount; from += PAGE) {
    const rows = await rowsOf(source, from);
    const others = isShared && parent !== undefined ? await rowsOf(parent, from) : [];
    const records: ThreadRecord[] = [];
    for (const [nth, row] of rows.entries()) {
      if (row.isErased) continue;
      const record = recordOf(row);
      const other = others[nth];
      if (isShared && other !== undefined && isSame(record, recordOf(other))) {
        shared.count += 1;
        shared.at = row.entry.id;
        continue;
      }
      if (isShared) records.push(begin());
      isShared = false;
      records.push(record);
    }
    yield records;
    await otherWork();
  }
  if (isShared) yield [begin()];
}

/** An import names turns as the append did. */
function recordOf({ given, tokens }: LoadedRow): ThreadRecord {
  const counts = tokens.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { kind: "entry", entry: given, tokens: counts };
}

function isSame(one: ThreadRecord, other: ThreadRecord): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A page of rows. @throws `HistoryError` with code `THREAD_CORRUPT`, `VERSION_CONFLICT`. */
async function rowsOf(source: Source, from: number): Promise<readonly LoadedRow[]> {
  const { access, threadId, head, signal } = source;
  const to = Math.min(from + PAGE, head.entryCount);
  if (to <= from) return [];
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
  return positions.flatMap((position) => rows.get(position) ?? []);
}

async function requireUnchanged({ access, threadId, head, signal }: Source): Promise<void> {
  const now = await knowThread(access, threadId, [], signal);
  requireSame(head, now.head);
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
  for (const summary of await summariesOf(access, threadId, signal))
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

async function summariesOf(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<readonly SummaryEntry[]> {
  const { answers } = await knowThread(access, threadId, [{ kind: "items", of: "o" }], signal);
  return overlaysIn(answers[0]).map(({ summary }) => summary);
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
