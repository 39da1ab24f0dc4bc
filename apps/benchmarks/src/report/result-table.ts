/** A table of one measurement: what it shows, and how to repeat it. */
export interface ResultTable {
  readonly title: string;
  /** What was measured, in a sentence or two. */
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The figures behind the rows, for programs. */
  readonly figures: readonly object[];
  /** When and how it was measured, where that is not the run that the others are of. */
  readonly run?: string;
}

/** Writes a table in Markdown. */
export function markdownTable({ title, note, head, rows, run }: ResultTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    `## ${title}`,
    "",
    note,
    ...(run === undefined ? [] : ["", run]),
    "",
    line(head),
    line(head.map((_, index) => (index === 0 ? "---" : "---:"))),
    ...rows.map(line),
    "",
  ].join("\n");
}
