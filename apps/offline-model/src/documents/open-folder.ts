import { readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";

import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { Document } from "./document.ts";
import { ignoreRules } from "./ignore-rules.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import { readTextFile } from "./read-text-file.ts";
import type { SkippedFile, SkipReason } from "./skipped-file.ts";

/** Options of {@link openFolder}. */
export interface OpenFolderOptions {
  /** The largest file that is read, in bytes. Default 512 KiB. */
  readonly maxFileBytes?: number;
  /** All files together, in bytes. Default 16 MiB. */
  readonly maxTotalBytes?: number;
  /** How many files are read. Default 5,000. */
  readonly maxFiles?: number;
  readonly signal?: AbortSignal;
}

/** A folder of text files, read into memory. */
export interface DocumentFolder {
  /** The absolute path, links resolved. */
  readonly root: string;
  /** In the order of their paths. */
  readonly documents: readonly Document[];
  readonly sizeBytes: number;
  /** What was not read, and why. */
  readonly skipped: readonly SkippedFile[];
}

/**
 * Opens a folder of documents: every text file below it that nothing rules out. Follows no link. What is not read is named with its reason.
 *
 * @throws `HistoryError` with code `NOT_FOUND` if there is no folder, `ABORTED` when `signal` fires.
 */
export async function openFolder(
  path: string,
  options: OpenFolderOptions = {},
): Promise<DocumentFolder> {
  const root = await resolveFolder(path);
  const walk: Walk = { root, options, documents: [], skipped: [], sizeBytes: 0, isFull: false };
  await walkFolder("", ignoreRules(), walk);
  const { documents, skipped, sizeBytes } = walk;
  return { root, documents, skipped, sizeBytes };
}

/** What a walk has gathered. */
interface Walk {
  readonly root: string;
  readonly options: OpenFolderOptions;
  readonly documents: Document[];
  readonly skipped: SkippedFile[];
  sizeBytes: number;
  isFull: boolean;
}

async function resolveFolder(path: string): Promise<string> {
  try {
    const root = await realpath(path);
    if ((await stat(root)).isDirectory()) return root;
  } catch (cause) {
    throw noFolder(path, "nothing that can be opened", cause);
  }
  throw noFolder(path, "a file");
}

function noFolder(path: string, found: string, cause?: unknown): HistoryError {
  return new HistoryError(
    `Expected a folder at ${path}, found ${found}. Give the path of a folder that you may read.`,
    { code: "NOT_FOUND", details: { path }, cause },
  );
}

async function walkFolder(folder: string, outer: IgnoreRules, walk: Walk): Promise<void> {
  const entries = await readdir(join(walk.root, folder), { withFileTypes: true }).catch(
    () => undefined,
  );
  if (entries === undefined) return skip(walk, folder, "unreadable");
  const rules = await rulesOf(folder, outer, walk);
  // By code units, so that every machine reads in one order.
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (walk.isFull) return;
    throwIfAborted(walk.options.signal);
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (rules.ignores(path, entry.isDirectory())) skip(walk, path, "ignored");
    else if (entry.isSymbolicLink()) skip(walk, path, await linkReason(path, walk.root));
    else if (entry.isDirectory()) await walkFolder(path, rules, walk);
    else await addDocument(path, walk);
  }
}

async function rulesOf(folder: string, outer: IgnoreRules, walk: Walk): Promise<IgnoreRules> {
  const file = await readTextFile(join(walk.root, folder, ".gitignore"), limits(walk));
  return file.kind === "text" ? outer.within(folder, file.text) : outer;
}

async function linkReason(path: string, root: string): Promise<SkipReason> {
  try {
    const target = await realpath(join(root, path));
    const inside = root.endsWith(sep) ? root : root + sep;
    return target === root || target.startsWith(inside) ? "link" : "link-out";
  } catch {
    return "unreadable";
  }
}

async function addDocument(path: string, walk: Walk): Promise<void> {
  const { maxTotalBytes = 16 * 1024 * 1024, maxFiles = 5_000 } = walk.options;
  const file = await readTextFile(join(walk.root, path), limits(walk));
  if (file.kind === "skipped") return skip(walk, path, file.reason);
  if (walk.documents.length >= maxFiles || walk.sizeBytes + file.sizeBytes > maxTotalBytes) {
    walk.isFull = true;
    return skip(walk, path, "limit");
  }
  walk.sizeBytes += file.sizeBytes;
  walk.documents.push({ path, lines: file.text.split(/\r?\n/) });
}

function limits({ options }: Walk): { readonly maxBytes: number } {
  return { maxBytes: options.maxFileBytes ?? 512 * 1024 };
}

function skip(walk: Walk, path: string, reason: SkipReason): void {
  walk.skipped.push({ path, reason });
}
