import { HistoryError } from "@agent-history/core";

import { MEMORY_ROOT, foldersOf, missing, refused } from "./memory-files.ts";
import type { MemoryFile, MemoryFiles } from "./memory-files.ts";

/** Creates a file; fails if the path exists. */
export async function createFile(files: MemoryFiles, path: string, text: unknown): Promise<string> {
  if (typeof text !== "string") throw refused("Expected `file_text` to be a string.");
  const isTaken = await isThere(files, path);
  if (!isTaken) await requireFolders(files, path);
  const revision = isTaken ? undefined : await files.write(path, text, 0);
  if (revision === undefined) throw refused(`File ${path} already exists`);
  return `File created successfully at: ${path}`;
}

/** Edits a file; on a concurrent write, reads and edits it again. */
export async function editFile(
  files: MemoryFiles,
  path: string,
  edit: (file: MemoryFile) => FileEdit,
): Promise<string> {
  for (;;) {
    const file = await files.read(path);
    if (file === undefined) {
      if (await isThere(files, path)) throw refused(`The path ${path} is not a file.`);
      throw missing(`The path ${path} does not exist. Please provide a valid path.`);
    }
    const { text, answer } = edit(file);
    if ((await files.write(path, text, file.revision)) !== undefined) return answer;
  }
}

/** Deletes a file, or everything in a folder. */
export async function removeFiles(files: MemoryFiles, path: string): Promise<string> {
  if (path === MEMORY_ROOT) throw refused(`Cannot delete the ${MEMORY_ROOT} directory itself`);
  const found = await filesAt(files, path);
  if (found.length === 0) throw missing(`The path ${path} does not exist`);
  for (const file of found) await removeFile(files, file);
  return `Successfully deleted ${path}`;
}

/** Moves a file or a folder to a path that does not exist. */
export async function renameFiles(files: MemoryFiles, from: string, to: string): Promise<string> {
  if (from === MEMORY_ROOT) throw refused(`Cannot rename the ${MEMORY_ROOT} directory itself`);
  if (await isThere(files, to)) throw refused(`The destination ${to} already exists`);
  const found = await filesAt(files, from);
  if (found.length === 0) throw missing(`The path ${from} does not exist`);
  if (to.startsWith(`${from}/`)) throw refused(`Cannot move ${from} into itself`);
  await requireFolders(files, to);
  for (const file of found) await moveFile(files, file, to + file.path.slice(from.length));
  return `Successfully renamed ${from} to ${to}`;
}

/** Copies the file before removing it: a failure in between leaves two copies, never none. */
async function moveFile(
  files: MemoryFiles,
  { path, text, revision }: MemoryFile,
  to: string,
): Promise<void> {
  const copy = await files.write(to, text, 0);
  if (copy === undefined) throw refused(`The destination ${to} already exists`);
  if ((await files.remove(path, revision)) !== undefined) return;
  throw new HistoryError(
    `${path} was edited while it was moved to ${to}. Both exist; read them again.`,
    { code: "VERSION_CONFLICT" },
  );
}

async function removeFile(files: MemoryFiles, { path, revision }: MemoryFile): Promise<void> {
  let known: number | undefined = revision;
  while (known !== undefined && (await files.remove(path, known)) === undefined) {
    known = (await files.read(path))?.revision;
  }
}

async function filesAt(files: MemoryFiles, path: string): Promise<readonly MemoryFile[]> {
  const file = await files.read(path);
  return file === undefined ? files.below(path) : [file];
}

async function isThere(files: MemoryFiles, path: string): Promise<boolean> {
  return path === MEMORY_ROOT || (await filesAt(files, path)).length > 0;
}

/** Refuses a path below a file. */
async function requireFolders(files: MemoryFiles, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    if ((await files.read(folder)) !== undefined) throw refused(`The path ${folder} is a file.`);
  }
}

/** A file's new text, and the answer to the model. */
interface FileEdit {
  readonly text: string;
  readonly answer: string;
}

/** Replaces a text that occurs exactly once. */
export function replaceText({ path, text }: MemoryFile, old: unknown, by: unknown = ""): FileEdit {
  if (typeof old !== "string" || typeof by !== "string") {
    throw refused("Expected `old_str` and `new_str` to be strings.");
  }
  const indexes = indexesOf(text, old);
  const [index] = indexes;
  if (index === undefined) {
    throw refused(
      `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`,
    );
  }
  if (indexes.length > 1) {
    const lines = [...new Set(indexes.map((at) => lineAt(text, at) + 1))];
    throw refused(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines.join(", ")}. Please ensure it is unique`,
    );
  }
  const changed = text.slice(0, index) + by + text.slice(index + old.length);
  const shown = snippet(changed, lineAt(changed, index), lineAt(changed, index + by.length));
  return {
    text: changed,
    answer: `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${shown}`,
  };
}

/** Inserts lines after a line. */
export function insertLines({ path, text }: MemoryFile, line: unknown, added: unknown): FileEdit {
  const lines = text.split("\n");
  const isLine = typeof line === "number" && Number.isInteger(line);
  if (!isLine || line < 0 || line > lines.length) {
    throw refused(
      `Invalid \`insert_line\` parameter: ${String(line)}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  if (typeof added !== "string") throw refused("Expected `insert_text` to be a string.");
  const changed = [...lines.slice(0, line), added.replace(/\n$/, ""), ...lines.slice(line)];
  return { text: changed.join("\n"), answer: `The file ${path} has been edited.` };
}

/** Shows a file with line numbers, or lists a folder. */
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

/** Returns the range of lines as start and end index; the end is exclusive. */
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

const NUMBER_WIDTH = 6;
const AROUND = 2;

/** Prefixes lines with their numbers; `from` is the index of the first, from 0. */
function numberedLines(lines: readonly string[], from: number): string {
  return lines
    .map((line, at) => `${String(from + at + 1).padStart(NUMBER_WIDTH)}\t${line}`)
    .join("\n");
}

/** Shows the lines around the changed ones. */
function snippet(text: string, firstLine: number, lastLine: number): string {
  const from = Math.max(0, firstLine - AROUND);
  return numberedLines(text.split("\n").slice(from, lastLine + AROUND + 1), from);
}

/** Lists a folder, two levels deep, without hidden names and `node_modules`. */
function listing(folder: string, files: readonly MemoryFile[]): string {
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

/** Formats bytes for people: 0B, 512B, 1.5K. */
function sizeText(bytes: number): string {
  const units = ["B", "K", "M"];
  const unit = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** unit;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[unit]}`;
}

/** Returns the indexes, in UTF-16 code units, at which `part` occurs; none for an empty text. */
function indexesOf(text: string, part: string): readonly number[] {
  if (part === "") return [];
  const indexes: number[] = [];
  let at = text.indexOf(part);
  while (at >= 0) {
    indexes.push(at);
    at = text.indexOf(part, at + part.length);
  }
  return indexes;
}

/** Returns the line, from 0, of a character index. */
function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length - 1;
}
