import type { HistoryEntry, HistoryStore, ReadResult } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { turnTaker } from "./take-turns.ts";
import type { EntryTokens } from "./thread-record.ts";

/** How many entries are read at once. */
const PAGE = 500;

/** An entry of a log, with its counts. */
export interface LogRow {
  readonly entry: HistoryEntry;
  readonly tokens: EntryTokens;
}

/** Which log is read. */
export interface LogSource {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly signal: AbortSignal | undefined;
}

/** What a log was when it was read. */
export interface LogVersion {
  readonly version: number;
  /** An end of it was replaced: an id may have stood for another entry. */
  readonly isReplaced: boolean;
}

/**
 * Reads a log from its beginning, in pages. Its pages are found from the end: all but two are read twice, so that only two are in memory.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` where a row cannot be read, `VERSION_CONFLICT` where the log changed since the first page.
 */
export async function* logPages(source: LogSource): AsyncGenerator<readonly LogRow[], LogVersion> {
  const nextTurn = turnTaker(source.signal);
  const newest = await readPage(source, undefined, undefined);
  const { version, entryCount } = newest;
  const befores: string[] = [];
  let oldest = newest;
  while (oldest.next !== undefined) {
    befores.push(oldest.next);
    oldest = await readPage(source, oldest.next, version);
    await nextTurn();
  }
  let rows = oldest.entries.length;
  yield rowsOf(oldest);
  for (const before of befores.slice(0, -1).toReversed()) {
    const page = await readPage(source, before, version);
    rows += page.entries.length;
    yield rowsOf(page);
    await nextTurn();
  }
  if (oldest !== newest) {
    rows += newest.entries.length;
    yield rowsOf(newest);
  }
  if (rows !== entryCount) throw corrupt({ position: rows, count: entryCount - rows });
  return { version, isReplaced: version !== entryCount };
}

/** Refuses a log that changed. */
export async function requireUnchanged(
  { store, threadId, signal }: LogSource,
  version: number,
): Promise<void> {
  const query = { clauses: [] };
  const { version: actual } = await store.read(threadId, { query, ...(signal && { signal }) });
  if (actual !== version) throw changed(version, actual);
}

async function readPage(
  { store, threadId, signal }: LogSource,
  before: string | undefined,
  version: number | undefined,
): Promise<ReadResult> {
  const all = { clauses: [{}], maxEntries: PAGE };
  const query = before === undefined ? all : { ...all, before };
  const options = { query, originals: true, ...(signal && { signal }) };
  const page = await store.read(threadId, options);
  const actual = page.version;
  if (version !== undefined && actual !== version) throw changed(version, actual);
  const [problem] = page.problems;
  if (problem !== undefined) {
    throw corrupt({ position: problem.position, count: page.problems.length });
  }
  return page;
}

function rowsOf({ entries, tokens }: ReadResult): readonly LogRow[] {
  const counters = [...tokens].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map((entry, index) => ({
    entry,
    tokens: counters.flatMap(([counterId, counts]) => {
      const counted = counts[index];
      return counted === undefined ? [] : [[counterId, counted] as const];
    }),
  }));
}

function changed(expected: number, actual: number): HistoryError {
  return new HistoryError(
    `Expected the thread not to change while it is exported: its version was ${expected} and is ${actual}. Export it once more.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}

function corrupt(details: { readonly position: number; readonly count: number }): HistoryError {
  return new HistoryError(
    "Expected every row of the thread to be readable. `verify` lists those that are not; restore a backup, or export an earlier fork.",
    { code: "THREAD_CORRUPT", details: { reason: "rows", ...details } },
  );
}
