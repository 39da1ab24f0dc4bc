import type { StoredEntryProblem } from "@agent-history/core";

import { indexRows } from "./index-rows.ts";
import { eachInSteps } from "./pauses.ts";
import { readLogPage } from "./read-log.ts";
import type { ReferenceRow, StoreProgram } from "./store-program.ts";

/** The index of a log, worked out from its entries. */
export interface DerivedIndex {
  /** `undefined` for no entries. */
  readonly head: string | undefined;
  readonly facts: ReadonlyMap<string, string>;
  readonly references: ReadonlyMap<string, readonly ReferenceRow[]>;
  /** Of the entries that could be read, in order. No map: one of a million ids blocks for a tenth of a second when it grows. */
  readonly ids: readonly (readonly [position: number, id: string])[];
  /** Rows that cannot be read. In the index an error stands for each. */
  readonly problems: readonly StoredEntryProblem[];
}

/** Works out the index of the first `version` entries of a log once more. Linear, in pages. */
export function* reindexLog(version: number): StoreProgram<DerivedIndex> {
  let head: string | undefined;
  const facts = new Map<string, string>();
  const references = new Map<string, ReferenceRow[]>();
  const ids: (readonly [number, string])[] = [];
  const problems: StoredEntryProblem[] = [];
  for (let from = 0; from < version; from += PAGE) {
    const rows = yield* readLogPage(from, Math.min(version, from + PAGE));
    const indexed = indexRows(rows, { head, facts });
    head = indexed.head;
    for (const problem of indexed.problems) problems.push(problem);
    for (const id of indexed.ids) ids.push(id);
    for (const [key, fact] of indexed.facts) facts.set(key, fact);
    for (const [stream, added] of indexed.references) {
      const known = references.get(stream) ?? [];
      for (const row of added) known.push(row);
      references.set(stream, known);
    }
  }
  return { head, facts, references, ids, problems };
}

const PAGE = 500;

/** The positions of the ids of a log. */
export function* positionsById({ ids }: DerivedIndex): StoreProgram<ReadonlyMap<string, number>> {
  const positions = new Map<string, number>();
  yield* eachInSteps(ids, ([position, id]) => positions.set(id, position));
  return positions;
}
