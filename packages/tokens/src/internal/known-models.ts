import limits from "./model-limits.json" with { type: "json" };
import { modelKey, resolveModel } from "./resolve-model.ts";

/** The limits of a model, in tokens. */
export interface ModelLimits {
  /** Prompt and answer together. */
  readonly contextTokens: number;
  /** The longest answer. */
  readonly maxOutputTokens: number;
}

interface KnownModel extends ModelLimits {
  readonly name: string;
  /** The smallest window that a gateway or a cloud serves. */
  readonly servedTokens: number;
}

/** The table of models by key: window, longest answer and, where it differs, the smallest window that is served. */
export const knownModels: ReadonlyMap<string, KnownModel> = new Map(
  Object.entries(limits).map(([name, [contextTokens = 0, maxOutputTokens = 0, served]]) => [
    modelKey(name),
    { name, contextTokens, maxOutputTokens, servedTokens: served ?? contextTokens },
  ]),
);

/** Returns the limits of a model by any of its names; `undefined` if it is not in the table. */
export function findModelLimits(model: string): ModelLimits | undefined {
  const { keys, isServed, contextTokens: asked } = resolveModel(model);
  const known = keys.map((key) => knownModels.get(key)).find((found) => found !== undefined);
  if (known === undefined) return undefined;
  const { contextTokens, servedTokens, maxOutputTokens } = known;
  return { contextTokens: asked ?? (isServed ? servedTokens : contextTokens), maxOutputTokens };
}

/** Returns the known models whose names differ in a few characters, the nearest first; at most three. */
export function similarModels(model: string): readonly string[] {
  const [key = ""] = resolveModel(model).keys;
  if (key.length > 60) return [];
  const most = Math.max(1, key.length / 5);
  return Array.from(knownModels, ([known, { name }]) => ({ name, edits: editsOf(key, known) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((one, other) => one.edits - other.edits)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Counts the characters to insert, delete or replace (Levenshtein). */
function editsOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to += 1) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
