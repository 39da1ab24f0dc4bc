import { action, observation, pairCalls, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenHistory } from "../arbitrary-broken-history.ts";
import { arbitraryHistory } from "../arbitrary-history.ts";
import { arbitraryQuery } from "../arbitrary-query.ts";
import { lawRuns } from "../law-runs.ts";

describe("selectEntries", () => {
  it("cuts no exchange of the whole log, and hides no other, wherever the first shown part of one stands", () => {
    const drawn = fc
      .oneof(
        arbitraryHistory(),
        arbitraryBrokenHistory().map(({ entries }) => entries),
      )
      // Every id of a call comes again.
      .map((entries) => [...entries, ...entries.map((one) => ({ ...one, id: `${one.id} again` }))])
      .chain((entries) => fc.tuple(fc.constant(entries), arbitraryQuery(entries)));
    fc.assert(
      fc.property(drawn, ([entries, query]) => {
        const selected = new Set(selectEntries(entries, { ...query, splitExchanges: false }));

        expect(selected).toEqual(new Set(uncut(entries, query)));
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("pairs nothing before the first shown part of an exchange", () => {
    let reads = 0;
    const [w1, w2] = (["w1", "w2"] as const).map((id) => ({ id, role: "worker" }) as const);
    const calls = [{ id: "c1", name: "find", arguments: "{}" }];
    const result = { callId: "c1", toolName: "find", outcome: "success", content: "Two." } as const;
    const asked = (agent: typeof w1, id: string): readonly HistoryEntry[] => [
      userMessage({ id: `u${id}`, content: "Any seats?" }),
      {
        ...action({ id: `a${id}`, toolCalls: calls, ...(agent && { agent }) }),
        get toolCalls() {
          reads += 1;
          return calls;
        },
      },
      observation({ ...result, id: `o${id}`, ...(agent && { agent }) }),
    ];
    const before = Array.from({ length: 50 }, (_, turn) => asked(w1, `${turn}`)).flat();
    const own = { clauses: [{ agent: "w2" }] };
    const entries = [...before, ...asked(w2, "new")];

    expect(selectEntries(entries, own).map(({ id }) => id)).toEqual(["anew", "onew"]);
    // No more than for the last turn alone.
    const inAll = reads;
    reads = 0;
    selectEntries(asked(w2, "new"), own);
    expect(inAll).toBe(reads);
  });
});

/** What the query shows with exchanges split, without the exchanges of which a part is missing. */
function uncut(entries: readonly HistoryEntry[], query: HistoryQuery): readonly HistoryEntry[] {
  const shown = new Set(selectEntries(entries, { ...query, splitExchanges: true }));
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
