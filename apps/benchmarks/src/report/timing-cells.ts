import { milliseconds } from "./statistics.ts";
import type { Timing } from "./take-turns.ts";

/** The fastest run and the median, as two cells of a table. */
export function timingCells({ minMs, medianMs, isUnsteady }: Timing): readonly string[] {
  return [milliseconds(minMs), `${milliseconds(medianMs)}${isUnsteady ? " (unsteady)" : ""}`];
}
