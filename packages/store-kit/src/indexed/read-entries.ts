import type { ReadResult, StoredEntryProblem } from "@agent-history/core";

import { decodeRows } from "./decode-rows.ts";
import type { LogRow, ReadEntry } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { pagesOf } from "./pages-of.ts";
import type { FoundEntries } from "./read-references.ts";
import type { ThreadCounts } from "./replaced-entries.ts";
import type { StoreProgram } from "./store-program.ts";

/** Reads the entries and summaries that were found, in pages; `undefined` where a summary is gone meanwhile. */
export function* readEntries(found: FoundEntries): StoreProgram<ReadResult | undefined> {
  const { counts, viewRevision, selection } = found;
  const { shown, next } = selection;
  const isBeside = next !== undefined && !shown.includes(next);
  const wanted = isBeside ? [next, ...shown] : shown;
  const entries: ReadEntry[] = [];
  const problems: StoredEntryProblem[] = [];
  for (const page of pagesOf(wanted)) {
    const rows = yield* readPage(found, page);
    if (rows === undefined) return undefined;
    const decoded = decodeRows(rows);
    for (const one of decoded.entries) entries.push(one);
    for (const problem of decoded.problems) problems.push(problem);
  }
  const nextId = entries.find(({ position }) => position === next)?.entry.id;
  if (isBeside && entries[0]?.position === next) entries.shift();
  return { ...resultOf(entries, counts, viewRevision, nextId), problems };
}

/** Reads the rows at some positions, one for each. */
function* readPage(
  { summaries, references }: FoundEntries,
  wanted: readonly number[],
): StoreProgram<readonly LogRow[] | undefined> {
  const summaryIds = new Map(summaries.map(({ at, id }) => [at, id]));
  const positions = wanted.filter((position) => !summaryIds.has(position));
  const ids = wanted.flatMap((position) => summaryIds.get(position) ?? []);
  const rowEndOf = (position: number): number => references.get(position)?.rowEnd ?? position;
  const [entriesAnswer, summariesAnswer] = yield* fetchRound([
    { kind: "entries", positions, rowEnds: positions.map(rowEndOf) },
    { kind: "summaries", ids },
  ]);
  const rows = new Map<number, LogRow>(
    answered("entries", entriesAnswer).rows.map((row) => [row.position, row]),
  );
  const indexes = new Map(summaries.map(({ at, id }) => [id, at]));
  for (const { id, json } of answered("summaries", summariesAnswer).summaries) {
    const position = indexes.get(id);
    if (position !== undefined) rows.set(position, { position, json });
  }
  if (wanted.some((at) => summaryIds.has(at) && !rows.has(at))) return undefined;
  return wanted.map((position) => rows.get(position) ?? { position });
}

/** Puts a result together. */
export function resultOf(
  entries: readonly ReadEntry[],
  { version, entryCount }: ThreadCounts,
  viewRevision: number,
  next: string | undefined,
): ReadResult {
  return {
    entries: entries.map(({ entry }) => entry),
    tokens: tokensOf(entries),
    problems: [],
    version,
    entryCount,
    viewRevision,
    ...(next === undefined ? {} : { next }),
  };
}

/** Returns the counts of entries, by counter, where a counter has counted one of them. */
function tokensOf(entries: readonly ReadEntry[]): ReadResult["tokens"] {
  const counts = new Map<string, (number | undefined)[]>();
  for (const [index, { tokens }] of entries.entries()) {
    if (tokens === undefined) continue;
    for (const [counter, count] of tokens) {
      const known = counts.get(counter) ?? entries.map(() => undefined);
      known[index] = count;
      counts.set(counter, known);
    }
  }
  return counts;
}
