import type { JSX } from "preact";

import type { CellState } from "../src/inspector-data.ts";
import { STATES } from "./cells.ts";

const NAMES: readonly CellState[] = [
  "kept",
  "shrunk",
  "cleared",
  "summarized",
  "dropped",
  "recalled",
  "repaired",
];

/** Names the colors. */
export function Legend(): JSX.Element {
  return (
    <ul class="legend" aria-label="Colors">
      {NAMES.map((state) => (
        <li key={state} title={STATES[state]}>
          <i class={`swatch ${state}`} aria-hidden="true" />
          {state}
        </li>
      ))}
    </ul>
  );
}
