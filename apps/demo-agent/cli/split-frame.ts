import Table from "cli-table3";

/** Two texts side by side. */
export type SplitRow = readonly [left: string, right: string];

const MIDDLE = " │ ";
const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid";

/** How wide each side is on a terminal. */
export function sideWidth(columns: number): number {
  return Math.max(Math.floor((columns - MIDDLE.length) / 2), 12);
}

/** Draws rows in two columns of one width, with a line between them. What is longer is cut. */
export function splitFrame(rows: readonly SplitRow[], columns: number): readonly string[] {
  const width = sideWidth(columns);
  const table = new Table({
    chars: {
      ...Object.fromEntries(BORDERS.split(" ").map((location) => [location, ""])),
      middle: MIDDLE,
    },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colWidths: [width, width],
  });
  for (const [left, right] of rows) table.push([left, right]);
  return rows.length === 0
    ? []
    : table
        .toString()
        .split("\n")
        .map((line) => line.trimEnd());
}

const FULL = "█";
const FREE = "░";
const BEYOND = "▶";

/** Draws how much of a window is taken: what does not fit goes beyond its end. */
export function windowBar(tokens: number, windowTokens: number, width: number): string {
  if (tokens > windowTokens) return `${FULL.repeat(Math.max(width - 1, 0))}${BEYOND}`;
  const full = Math.min(Math.ceil((tokens / windowTokens) * (width - 1)), width - 1);
  return `${FULL.repeat(Math.max(full, 0))}${FREE.repeat(Math.max(width - 1 - full, 0))} `;
}
