import type { MemoryFiles } from "./memory-files.ts";
import { MEMORY_ROOT } from "./memory-path.ts";
import { listing, numberedLines } from "./memory-text.ts";
import { missing, refused } from "./refused.ts";

/** Shows a file with line numbers, or what is in a folder. */
export async function viewPath(
  files: MemoryFiles,
  path: string,
  range: readonly number[] | undefined,
): Promise<string> {
  const file = await files.read(path);
  if (file !== undefined) {
    const lines = file.text.split("\n");
    const [from, to] = linesOf(range, lines.length);
    return `Here's the content of ${path} with line numbers:\n${numberedLines(lines.slice(from, to), from)}`;
  }
  const below = await files.below(path);
  if (below.length === 0 && path !== MEMORY_ROOT) {
    throw missing(`The path ${path} does not exist. Please provide a valid path.`);
  }
  return `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:\n${listing(path, below)}`;
}

/** The places of the first line and behind the last. */
function linesOf(range: readonly number[] | undefined, count: number): readonly [number, number] {
  if (range === undefined) return [0, count];
  const [first = 0, last = 0] = range;
  const isRange =
    range.length === 2 &&
    Number.isInteger(first) &&
    Number.isInteger(last) &&
    (last === -1 || last >= first);
  if (!isRange) {
    throw refused(
      `Invalid \`view_range\` parameter: ${JSON.stringify(range)}. It should be the first and the last line, from 1; -1 is the end.`,
    );
  }
  return [Math.max(1, first) - 1, last === -1 ? count : Math.min(last, count)];
}
