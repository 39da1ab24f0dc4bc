import type { TokenCounter } from "@agent-history/core";
import { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
import { computed, signal } from "@preact/signals";

import { carriedCounter } from "../src/carried-counter.ts";
import { inspectPlans } from "../src/inspect-plans.ts";
import type { CallColumn, InspectorData } from "../src/inspector-data.ts";
import { callEntries, whatIf } from "../src/what-if.ts";
import type { WhatIf } from "../src/what-if.ts";
import { carriedRanks } from "./carried-ranks.ts";
import { call, data } from "./page-state.ts";

/** What is asked differently; an empty object asks what was asked. */
export const asked = signal<WhatIf>({});

/** The column of another fit, its rows those of the page; or why there is none. */
export const answer = computed<{ readonly column: CallColumn } | { readonly problem: string }>(
  () => {
    const [all, column] = [data.value, call.value];
    if (column === undefined) return { problem: "No call is selected." };
    if (Object.values(asked.value).every((value) => value === undefined)) return { column };
    try {
      return { column: fitAgain(all, column, asked.value) };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  },
);

export function ask(more: Partial<WhatIf>): void {
  asked.value = { ...asked.value, ...more };
}

let carried: TokenCounter | undefined;

/** Counts what no row carries, if the page carries the table by which its rows were counted. */
export function exactCounter({ counterId }: InspectorData): TokenCounter | undefined {
  if (carried === undefined && carriedRanks() !== "") carried = o200kBaseCounter();
  return carried?.id === counterId ? carried : undefined;
}

function fitAgain(all: InspectorData, column: CallColumn, conditions: WhatIf): CallColumn {
  const estimate = exactCounter(all);
  const plan = whatIf(all, column, { ...conditions, estimate });
  const drawn = inspectPlans({
    plans: [plan],
    entries: callEntries(all, column),
    counter: carriedCounter(all, column, estimate),
  });
  const [other] = drawn.calls;
  if (other === undefined) throw new Error("The fit has no plan.");
  // Its rows are those of the call's view, with what the fit repaired; the page has rows of its own.
  const rows = new Map(all.entries.map((entry, row) => [entry, row]));
  const rowOf = (row: number): number | undefined => {
    const entry = drawn.entries[row];
    return entry && rows.get(entry);
  };
  return {
    ...other,
    runs: other.runs.flatMap(([first, count, decision]) =>
      Array.from({ length: count }, (_, nth) => rowOf(first + nth)).flatMap((row) =>
        row === undefined ? [] : [[row, 1, decision] as const],
      ),
    ),
    edits: other.edits.flatMap((edit) => {
      const row = rowOf(edit.row);
      return row === undefined ? [] : [{ ...edit, row }];
    }),
  };
}
