import type { ReadResult } from "@agent-history/core";

import { decodeRows } from "./decode-rows.ts";
import type { LogRow, ReadEntry } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import type { FoundEntries } from "./read-references.ts";
import type { StoreProgram } from "./store-program.ts";

/** Reads the entries and summaries that were found; `undefined` where a summary is gone meanwhile. */
export function* readEntries(found: FoundEntries): StoreProgram<ReadResult | undefined> {
  const { version, viewRevision, selection } = found;
  const summaryIds = new Map(found.summaries.map(({ at, id }) => [at, id]));
  const wanted = [...selection.shown];
  const { next } = selection;
  if (next !== undefined && !selection.shown.includes(next)) wanted.unshift(next);
  const positions = wanted.filter((position) => !summaryIds.has(position));
  const ids = wanted.flatMap((position) => summaryIds.get(position) ?? []);
  if (wanted.length === 0) return resultOf([], version, viewRevision, undefined);
  const rowEndOf = (position: number): number => found.references.get(position)?.rowEnd ?? position;
  const [entriesAnswer, summariesAnswer] = yield* fetchRound([
    { kind: "entries", positions, rowEnds: positions.map(rowEndOf) },
    { kind: "summaries", ids },
  ]);
  const rows = new Map<number, LogRow>(
    answered("entries", entriesAnswer).rows.map((row) => [row.position, row]),
  );
  const places = new Map(found.summaries.map(({ at, id }) => [id, at]));
  for (const { id, json } of answered("summaries", summariesAnswer).summaries) {
    const position = places.get(id);
    if (position !== undefined) rows.set(position, { position, json });
  }
  if (ids.length > 0 && wanted.some((at) => summaryIds.has(at) && !rows.has(at))) return undefined;
  const shown = decodeRows(wanted.map((position) => rows.get(position) ?? { position }));
  const nextId = shown.entries.find(({ position }) => position === next)?.entry.id;
  const isShown = new Set(selection.shown);
  return {
    ...resultOf(
      shown.entries.filter(({ position }) => isShown.has(position)),
      version,
      viewRevision,
      nextId,
    ),
    problems: shown.problems,
  };
}

/** Puts a result together. */
export function resultOf(
  entries: readonly ReadEntry[],
  version: number,
  viewRevision: number,
  next: string | undefined,
): ReadResult {
  return {
    entries: entries.map(({ entry }) => entry),
    tokens: tokensOf(entries),
    problems: [],
    version,
    viewRevision,
    ...(next === undefined ? {} : { next }),
  };
}

/** Returns the counts of entries, by counter, where a counter has counted one of them. */
function tokensOf(entries: readonly ReadEntry[]): ReadResult["tokens"] {
  const counts = new Map<string, (number | undefined)[]>();
  for (const [index, { tokens }] of entries.entries()) {
    if (tokens === undefined) continue;
    const ofEntry: readonly (readonly [string, number])[] = JSON.parse(tokens);
    for (const [counter, count] of ofEntry) {
      const known = counts.get(counter) ?? entries.map(() => undefined);
      known[index] = count;
      counts.set(counter, known);
    }
  }
  return counts;
}
