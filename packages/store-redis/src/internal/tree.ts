import { listOf, numberOf, pairsOf } from "./reply.ts";
import { threadCorrupt } from "./thread-errors.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** What a tree says of itself: its keys, by name. */
export interface Tree {
  readonly revision: number;
  /** By name; of a meta key the ancestry of its thread, `d` where it was deleted. */
  readonly names: ReadonlyMap<string, string>;
}

/** A part of a log that a thread has from another branch. */
export interface Ancestor {
  readonly branch: string;
  /** The first position that is not the ancestor's. */
  readonly upTo: number;
}

/** Reads a tree from its hash. */
export function treeOf(reply: unknown): Tree {
  const fields = new Map(pairsOf(reply));
  const revision = numberOf(fields.get("r"));
  fields.delete("r");
  fields.delete("x");
  return { revision, names: fields };
}

/** Returns a tree with some names more. */
export function withNames({ names }: Tree, more: readonly string[], revision: number): Tree {
  return { revision, names: new Map([...more.map((name) => [name, ""] as const), ...names]) };
}

/** Writes an ancestry as a field: the oldest first. */
export function encodeAncestry(ancestry: readonly Ancestor[]): string {
  return JSON.stringify(ancestry.map(({ branch, upTo }) => [branch, upTo]));
}

/**
 * Reads an ancestry from its field.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is none: a list of branches, none of which ends before an older one.
 */
export function decodeAncestry(field: string | undefined): readonly Ancestor[] {
  if (field === undefined || !field.startsWith("[")) return [];
  let before = 0;
  return listOf(parsed(field)).map((pair) => {
    const [branch, upTo] = listOf(pair);
    const isRising = Number.isSafeInteger(upTo) && Number(upTo) >= before;
    if (typeof branch !== "string" || !isRising) throw threadCorrupt("ancestry");
    before = Number(upTo);
    return { branch, upTo: before };
  });
}

function parsed(field: string): unknown {
  try {
    return JSON.parse(field);
  } catch {
    throw threadCorrupt("ancestry");
  }
}

/** The logs that threads of a tree need: their own, and those that they share. */
export function neededLogs(names: Tree["names"]): ReadonlySet<string> {
  const living = [...names].filter(([name, value]) => META.test(name) && value !== "d");
  return new Set(
    living.flatMap(([name, value]) => [
      `${name.slice(0, -2)}:l`,
      ...decodeAncestry(value).map(({ branch }) => `${branch}:l`),
    ]),
  );
}

/** Names what goes when a thread is deleted: its keys, and the logs that it alone still had need of. */
export function namesToDelete({ names }: Tree, { branch }: ThreadLocation): readonly string[] {
  const needed = neededLogs(new Map([...names].filter(([name]) => name !== `${branch}:m`)));
  return [...names.keys()].filter(
    (name) =>
      !needed.has(name) &&
      name !== `${branch}:m` &&
      (name.startsWith(`${branch}:`) || LOG.test(name)),
  );
}

const META = /^[^:]*:m$/;
const LOG = /^[^:]*:l$/;
