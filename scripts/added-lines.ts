/** How two versions of a program differ, in lines of code. */
export interface LineChange {
  /** Lines of the first. */
  readonly before: number;
  /** How many more lines the second has. */
  readonly added: number;
  /** Lines of the first that stand otherwise in the second. */
  readonly changed: number;
}

/** Counts the lines that a program gained; blank lines, comments and the expressions whose results are shown are none of it. */
export function addedLines(first: string, second: string): LineChange {
  const [before, after] = [codeLines(first), codeLines(second)];
  const kept = commonLines(before, after);
  return {
    before: before.length,
    added: after.length - before.length,
    changed: before.length - kept,
  };
}

function codeLines(program: string): readonly string[] {
  const lines = program.split("\n").map((line) => line.trim());
  return lines.filter((line, index) => {
    const isShown = lines[index + 1]?.startsWith("// =>") === true;
    return line !== "" && !line.startsWith("//") && !isShown;
  });
}

/** Returns how many lines stand in both, in order. */
function commonLines(first: readonly string[], second: readonly string[]): number {
  let lengths = Array.from({ length: second.length + 1 }, () => 0);
  for (const line of first) {
    const next = [0];
    for (const [index, other] of second.entries()) {
      const longer = Math.max(next[index] ?? 0, lengths[index + 1] ?? 0);
      next.push(line === other ? (lengths[index] ?? 0) + 1 : longer);
    }
    lengths = next;
  }
  return lengths.at(-1) ?? 0;
}
