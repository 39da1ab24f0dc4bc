import type { JsonValue } from "@agent-history/core";

import { shrinkText } from "./shrink-text.ts";

/** Deeper values are replaced whole, so that a hostile nest costs no stack. */
const MAX_DEPTH = 40;

/**
 * Shortens JSON text so that it stays JSON: long arrays keep their first and last elements around a note, long strings their head and
 * tail. Text that is not JSON object or array, or cannot be shortened, gives nothing.
 *
 * @param maxLength - How long the text may become, in UTF-16 code units. What is kept may be shorter, or longer where
 *   keys alone are longer.
 *
 * @example
 * ```ts
 * import { shrinkJson } from "@agent-history/reducer";
 *
 * shrinkJson(JSON.stringify({ rows: Array.from({ length: 100 }, (_, row) => row) }), 60);
 * // => '{"rows":[0,1,2,"… 94 of 100 elements left out …",97,98,99]}'
 * ```
 */
export function shrinkJson(text: string, maxLength: number): string | undefined {
  const value = parseContainer(text);
  if (value === undefined) return undefined;
  const keeping = (keep: number): string =>
    JSON.stringify(shrink(value, { elements: keep, characters: keep * 8 }, 0));
  let shortest = text;
  // Fewer elements and shorter strings, until it is short enough.
  let keep = 64;
  for (; keep >= 1; keep = Math.floor(keep / 2)) {
    const shrunk = keeping(keep);
    if (shrunk.length < shortest.length) shortest = shrunk;
    if (shrunk.length <= maxLength) {
      shortest = fill(shrunk, keep);
      break;
    }
  }
  return shortest.length < text.length ? shortest : undefined;

  /** Keeps more, as long as it is short enough. */
  function fill(least: string, from: number): string {
    let longest = least;
    let fits = from;
    let isGrowing = true;
    for (let more = fits; more >= Math.max(1, fits / 32);) {
      const shrunk = keeping(fits + more);
      const isBetter = shrunk.length <= maxLength && shrunk.length > longest.length;
      if (isBetter) {
        longest = shrunk;
        fits += more;
      }
      isGrowing &&= isBetter;
      more = isGrowing ? fits : Math.floor(more / 2);
    }
    return longest;
  }
}

function parseContainer(text: string): JsonValue | undefined {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

interface Keep {
  readonly elements: number;
  readonly characters: number;
}

function shrink(value: JsonValue, keep: Keep, depth: number): JsonValue {
  if (typeof value === "string") {
    const half = Math.max(1, Math.floor(keep.characters / 2));
    return shrinkText(value, { head: half, tail: half });
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "… left out …";
  if (isArray(value)) return shrinkArray(value, keep, depth);
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    key,
    shrink(member, keep, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

function shrinkArray(value: readonly JsonValue[], keep: Keep, depth: number): JsonValue {
  const half = Math.max(1, Math.ceil(keep.elements / 2));
  const inner = (element: JsonValue): JsonValue => shrink(element, keep, depth + 1);
  if (value.length <= half * 2 + 1) return value.map(inner);
  const leftOut = value.length - half * 2;
  const note = `… ${leftOut} of ${value.length} elements left out …`;
  return [...value.slice(0, half).map(inner), note, ...value.slice(-half).map(inner)];
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
