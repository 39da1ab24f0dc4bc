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
  return Array.from(knownModels, ([known, { name }]) => ({ name, apart: apart(key, known) }))
    .filter((one) => one.apart <= Math.max(1, key.length / 5))
    .toSorted((one, other) => one.apart - other.apart)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Counts the characters of the longer name between the beginning and the end that both have. */
function apart(one: string, other: string): number {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  return long.length - start - end;
}
