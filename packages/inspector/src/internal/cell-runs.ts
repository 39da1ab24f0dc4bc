import type { CellRun } from "../inspector-data.ts";

/** Joins cells of neighboring rows with one decision into runs, in the order of rows. Of two cells of one row the first counts. */
export function cellRuns(
  cells: readonly (readonly [row: number, decision: number])[],
): readonly CellRun[] {
  const runs: [row: number, rows: number, decision: number][] = [];
  for (const [row, decision] of cells.toSorted(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    const end = last === undefined ? -1 : last[0] + last[1];
    if (last !== undefined && row < end) continue;
    if (last !== undefined && row === end && last[2] === decision) last[1] += 1;
    else runs.push([row, 1, decision]);
  }
  return runs;
}
