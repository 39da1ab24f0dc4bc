import { pairCalls } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenHistory } from "../arbitrary-broken-history.ts";
import { arbitraryHistory } from "../arbitrary-history.ts";
import { lawRuns } from "../law-runs.ts";
import { diceOf, randomQuery } from "../store/internal/random-log.ts";

describe("selectEntries", () => {
  it("cuts no exchange of the whole log, and hides no other, wherever the first shown part of one stands", () => {
    const drawn = fc
      .oneof(arbitraryHistory(), arbitraryBrokenHistory())
      // Every id of a call comes again.
      .map((entries) => [...entries, ...entries.map((one) => ({ ...one, id: `${one.id} again` }))])
      .chain((entries) => fc.tuple(fc.constant(entries), queriesAbout(entries)));
    fc.assert(
      fc.property(drawn, ([entries, query]) => {
        const selected = new Set(selectEntries(entries, { ...query, wholeExchanges: true }));

        expect(selected).toEqual(new Set(uncut(entries, query)));
      }),
      { numRuns: lawRuns(100) },
    );
  });
});

/** Whose bounds are in the log. */
function queriesAbout(entries: readonly HistoryEntry[]): fc.Arbitrary<HistoryQuery> {
  const isThere = (bound: string | undefined): boolean =>
    bound === undefined || entries.some(({ id }) => id === bound);
  return fc
    .noShrink(fc.integer())
    .map((seed) => randomQuery(diceOf(seed), entries))
    .filter(({ before, after }) => isThere(before) && isThere(after));
}

/** What the query shows with exchanges split, without the exchanges of which a part is missing. */
function uncut(entries: readonly HistoryEntry[], query: HistoryQuery): readonly HistoryEntry[] {
  const shown = new Set(selectEntries(entries, { ...query, wholeExchanges: false }));
  const { actionOf, callerOf } = pairCalls(entries);
  const first = (index: number): number => {
    const outer = actionOf.get(index) ?? callerOf.get(index);
    return outer === undefined ? index : first(outer);
  };
  const isShown = (index: number): boolean => {
    const entry = entries[index];
    return entry !== undefined && shown.has(entry);
  };
  const cut = new Set(
    entries.flatMap((_, index) => (isShown(index) === isShown(first(index)) ? [] : first(index))),
  );
  return entries.filter((_, index) => isShown(index) && !cut.has(first(index)));
}
