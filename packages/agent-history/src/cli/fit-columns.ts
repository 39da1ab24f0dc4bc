/** How a column is shortened or dropped. */
export interface ColumnRules {
  readonly shrinks?: "path" | "text";
  readonly leaveOut?: number;
}

const GAP = 2;
const SHORTEST = 20;

/** Gives columns their widths, so that they and the gaps between them fit; `undefined` for a column that is left out. */
export function fitColumns(
  columns: readonly ColumnRules[],
  natural: readonly number[],
  room: number,
): readonly (number | undefined)[] {
  const widths: (number | undefined)[] = [...natural];
  for (;;) {
    const excess = widthOf(widths) - room;
    if (excess <= 0) return widths;
    const widest = indexOfGreatest(widths.map((width, index) => shrinkable(columns[index], width)));
    if (widest !== undefined) {
      const width = widths[widest] ?? 0;
      widths[widest] = Math.max(SHORTEST, width - Math.max(1, Math.ceil(excess / 4)));
      continue;
    }
    const spare = indexOfGreatest(
      widths.map((width, index) => (width === undefined ? 0 : (columns[index]?.leaveOut ?? 0))),
    );
    if (spare === undefined) return widths;
    widths[spare] = undefined;
    // What is left shares its room.
    for (const [index, width] of widths.entries())
      if (width !== undefined) widths[index] = natural[index];
  }
}

/** The width of a column that can still become shorter; 0 for others. */
function shrinkable(column: ColumnRules | undefined, width: number | undefined): number {
  return column?.shrinks !== undefined && width !== undefined && width > SHORTEST ? width : 0;
}

function widthOf(widths: readonly (number | undefined)[]): number {
  const shown = widths.filter((width) => width !== undefined);
  return shown.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, shown.length - 1);
}

function indexOfGreatest(values: readonly number[]): number | undefined {
  let greatest: number | undefined;
  for (const [index, value] of values.entries()) {
    if (value > 0 && value > (greatest === undefined ? 0 : (values[greatest] ?? 0)))
      greatest = index;
  }
  return greatest;
}
