/** The rows of all Markdown tables of a text, without heads and rules: the plain text of their cells. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split("\n");
  return lines.flatMap((line, index) => {
    const isHead = isRule(lines[index + 1] ?? "");
    return line.startsWith("|") && !isHead && !isRule(line) ? [cellsOf(line)] : [];
  });
}

function isRule(line: string): boolean {
  return /^\|(?:\s*:?-+:?\s*\|)+$/.test(line);
}

/** Cells are divided by bars that no backslash stands before. */
function cellsOf(row: string): string[] {
  const cells = row.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.replaceAll("`", "").trim());
}
