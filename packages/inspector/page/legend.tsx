import type { JSX } from "preact";

import { CELL_STATES } from "../src/inspector-data.ts";
import type { CallColumn, CellState } from "../src/inspector-data.ts";
import { number, STATES } from "./cells.ts";
import { selectedCall } from "./page-state.ts";

/** A state's color. */
export function Swatch({ state }: { readonly state: CellState | undefined }): JSX.Element {
  const background = state === undefined ? "none" : `var(--${state})`;
  return <i class="swatch" data-state={state} style={{ background }} aria-hidden="true" />;
}

/** Lists the colors, with the number of entries of each in a call, and in another fit of it. */
export function Legend({
  column,
  before,
}: {
  readonly column: CallColumn | undefined;
  readonly before?: CallColumn;
}): JSX.Element {
  const [counts, was] = [stateCounts(column), stateCounts(before)];
  return (
    <ul class="legend" aria-label={`Entries of call ${selectedCall.value + 1}`}>
      {CELL_STATES.map((state) => (
        <li
          key={state}
          title={STATES[state]}
          class={counts.has(state) || was.has(state) ? "" : "quiet"}
        >
          <Swatch state={state} />
          {state} {before && `${number(was.get(state) ?? 0)} → `}
          {number(counts.get(state) ?? 0)}
        </li>
      ))}
    </ul>
  );
}

/** Counts the entries of a call by state. */
function stateCounts(column: CallColumn | undefined): ReadonlyMap<CellState, number> {
  const counts = new Map<CellState, number>();
  for (const [, rows, decision] of column?.runs ?? []) {
    const state = column?.decisions[decision]?.state;
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + rows);
  }
  return counts;
}
