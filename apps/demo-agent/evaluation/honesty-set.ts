import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { openFolder } from "@agent-history/offline-model";
import type { DocumentFolder } from "@agent-history/offline-model";

/** Questions on one folder of documents, and what answers each. */
export interface HonestySet {
  readonly name: string;
  /** The package whose folder is asked about. */
  readonly package?: string;
  /** The packages whose READMEs are asked about, in one folder. */
  readonly readmes?: readonly string[];
  readonly questions: readonly HonestyQuestion[];
}

/** A question; without a path the documents do not answer it. */
export interface HonestyQuestion {
  readonly question: string;
  /** Relative to the folder. */
  readonly path?: string;
  /** Any of them, in a quote of that file, answers the question. */
  readonly words?: readonly string[];
  /** The same for quotes that nobody had thought of, and that were read and found to answer it. */
  readonly byHand?: readonly { readonly path: string; readonly words: readonly string[] }[];
}

/** Reads the sets of a file beside this one. */
export async function readSets(name: string): Promise<readonly HonestySet[]> {
  const text = await readFile(new URL(name, import.meta.url), "utf8");
  const { sets }: { readonly sets: readonly HonestySet[] } = JSON.parse(text);
  return sets;
}

/** Opens the documents of a set, as they were installed. */
export async function openSet(set: HonestySet): Promise<DocumentFolder> {
  if (set.package !== undefined) return openFolder(packageFolder(set.package));
  const folder = await mkdtemp(join(tmpdir(), "demo-readmes-"));
  try {
    for (const name of set.readmes ?? []) await copyReadme(name, folder);
    return await openFolder(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function copyReadme(name: string, folder: string): Promise<void> {
  const source = packageFolder(name);
  const file = (await readdir(source)).find((each) => each.toLowerCase() === "readme.md");
  await copyFile(join(source, file ?? "README.md"), join(folder, `${name}.md`));
}

/** As pnpm links it into this app; not every package lets its manifest be resolved. */
function packageFolder(name: string): string {
  return fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
}
