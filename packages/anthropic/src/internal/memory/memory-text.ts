import type { MemoryFile } from "./memory-files.ts";

const NUMBER_WIDTH = 6;
const AROUND = 2;

/** Shows lines with their numbers; `from` is the place of the first, from 0. */
export function numberedLines(lines: readonly string[], from: number): string {
  return lines
    .map((line, at) => `${String(from + at + 1).padStart(NUMBER_WIDTH)}\t${line}`)
    .join("\n");
}

/** Shows the lines around the changed ones. */
export function snippet(text: string, firstLine: number, lastLine: number): string {
  const from = Math.max(0, firstLine - AROUND);
  return numberedLines(text.split("\n").slice(from, lastLine + AROUND + 1), from);
}

/** Lists what is in a folder, two levels deep, without hidden names and `node_modules`. */
export function listing(folder: string, files: readonly MemoryFile[]): string {
  const sizes = new Map<string, number>();
  let total = 0;
  for (const { path, text } of files) {
    const names = path.slice(folder.length + 1).split("/");
    if (names.some((name) => name.startsWith(".") || name === "node_modules")) continue;
    const bytes = new TextEncoder().encode(text).length;
    total += bytes;
    for (const depth of [1, 2]) {
      const isFile = names.length === depth;
      if (names.length < depth) continue;
      const shown = `${folder}/${names.slice(0, depth).join("/")}${isFile ? "" : "/"}`;
      sizes.set(shown, (sizes.get(shown) ?? 0) + bytes);
    }
  }
  const rows = [...sizes].map(([path, bytes]) => `${sizeText(bytes)}\t${path}`);
  return [`${sizeText(total)}\t${folder}`, ...rows].join("\n");
}

/** Writes bytes as people read them: 0B, 512B, 1.5K. */
function sizeText(bytes: number): string {
  const units = ["B", "K", "M"];
  const unit = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** unit;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[unit]}`;
}

/** The places, in characters, at which a text stands in another; none for an empty text. */
export function indexesOf(text: string, part: string): readonly number[] {
  if (part === "") return [];
  const indexes: number[] = [];
  let at = text.indexOf(part);
  while (at >= 0) {
    indexes.push(at);
    at = text.indexOf(part, at + part.length);
  }
  return indexes;
}

/** The line, from 0, in which a character stands. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length - 1;
}
