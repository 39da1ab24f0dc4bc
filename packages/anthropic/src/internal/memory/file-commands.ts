import { HistoryError } from "@agent-history/core";

import type { FileEdit } from "./edit-file.ts";
import type { MemoryFile, MemoryFiles } from "./memory-files.ts";
import { foldersOf, MEMORY_ROOT } from "./memory-path.ts";
import { missing, refused } from "./refused.ts";

/** Creates a file where nothing is. */
export async function createFile(files: MemoryFiles, path: string, text: unknown): Promise<string> {
  if (typeof text !== "string") throw refused("Expected `file_text` to be a text.");
  const isTaken = await isThere(files, path);
  if (!isTaken) await requireFolders(files, path);
  const revision = isTaken ? undefined : await files.write(path, text, 0);
  if (revision === undefined) throw refused(`File ${path} already exists`);
  return `File created successfully at: ${path}`;
}

/** Edits a file; one that another has written meanwhile is read and edited again. */
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

/** Deletes a file, or all that is in a folder. */
export async function removeFiles(files: MemoryFiles, path: string): Promise<string> {
  if (path === MEMORY_ROOT) throw refused(`Cannot delete the ${MEMORY_ROOT} directory itself`);
  const found = await filesAt(files, path);
  if (found.length === 0) throw missing(`The path ${path} does not exist`);
  for (const file of found) await removeFile(files, file);
  return `Successfully deleted ${path}`;
}

/** Moves a file or a folder to a path where nothing is. */
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

/** Copies a file, then removes it: what fails between leaves two of it, never none. */
async function moveFile(files: MemoryFiles, moved: MemoryFile, to: string): Promise<void> {
  let revision = await files.write(to, moved.text, 0);
  if (revision === undefined) throw refused(`The destination ${to} already exists`);
  let file: MemoryFile | undefined = moved;
  while (file !== undefined && (await files.remove(file.path, file.revision)) === undefined) {
    // Another has written it meanwhile: what it wrote moves, too.
    file = await files.read(moved.path);
    if (file === undefined) return;
    revision = await files.write(to, file.text, revision);
    if (revision !== undefined) continue;
    throw new HistoryError(`${moved.path} and ${to} were edited meanwhile. Both are there.`, {
      code: "VERSION_CONFLICT",
    });
  }
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

/** A file is no folder. */
async function requireFolders(files: MemoryFiles, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    if ((await files.read(folder)) !== undefined) throw refused(`The path ${folder} is a file.`);
  }
}
