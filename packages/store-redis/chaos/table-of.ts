/** Lays out lines of cells as a Markdown table; the first line heads the columns. */
export function tableOf(lines: readonly (readonly string[])[]): string {
  const [headings = []] = lines;
  const widths = headings.map((_, column) =>
    Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const row = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [headings, rule, ...lines.slice(1)].map(row).join("\n");
}
