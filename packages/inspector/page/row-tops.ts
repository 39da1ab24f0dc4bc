/** How high rows are: all the same, as their tokens, or so that the whole log is in view. */
export type RowMode = "even" | "tokens" | "whole";

const ROW_HEIGHT = 18;
const HIGHEST = 160;

/** Returns where each row begins, in pixels, and after the last where it ends. */
export function rowTops(tokens: readonly number[], mode: RowMode, room: number): Float64Array {
  const tops = new Float64Array(tokens.length + 1);
  const mean = tokens.reduce((sum, one) => sum + one, 0) / Math.max(1, tokens.length);
  const even =
    mode === "whole" ? Math.min(ROW_HEIGHT, room / Math.max(1, tokens.length)) : ROW_HEIGHT;
  for (const [row, count] of tokens.entries()) {
    const high = Math.max(4, Math.min(HIGHEST, (ROW_HEIGHT * count) / Math.max(1, mean)));
    tops[row + 1] = (tops[row] ?? 0) + (mode === "tokens" ? high : even);
  }
  return tops;
}

/** Returns the row at a height. Logarithmic. */
export function rowAt(tops: Float64Array, height: number): number {
  let [low, high] = [0, tops.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
