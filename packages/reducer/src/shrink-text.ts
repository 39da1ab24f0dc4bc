import type { JsonValue } from "@agent-history/core";

/**
 * Shortens a text to its head and tail around a marker with the number of characters left out. Returns the same text if it would not become shorter.
 *
 * Texts are cut at line ends, otherwise at word ends, never inside a word or a number; only words of more than 64 characters, e.g. encoded data, and scripts
 * without spaces are cut anywhere, at whole code points. Markers of earlier cuts are merged: their counts are added to the new one.
 *
 * @param limits - The maximum UTF-16 code units of head and tail to keep.
 *
 * @example
 * ```ts
 * import { shrinkText } from "@agent-history/reducer";
 *
 * const text = Array.from({ length: 9 }, (_, nth) => `${nth}: port 80${nth}0`).join("\n");
 * shrinkText(text, { head: 30, tail: 15 });
 * // => "0: port 8000\n1: port 8010\n[… 79 characters left out …]\n8: port 8080"
 * ```
 */
export function shrinkText(
  text: string,
  { head, tail }: { readonly head: number; readonly tail: number },
): string {
  let start = headEnd(text, Math.min(head, text.length));
  let end = Math.max(start, tailStart(text, tail));
  let leftOut = 0;
  let marked = 0;
  // Widen the cut to include whole earlier markers.
  for (const { index, 0: marker, 1: count } of text.matchAll(MARKER)) {
    const markerEnd = index + marker.length;
    if (markerEnd <= start || index >= end) continue;
    start = Math.min(start, index);
    end = Math.max(end, markerEnd);
    leftOut += Number(count);
    marked += marker.length;
  }
  leftOut += end - start - marked;
  const marker = `[… ${leftOut} characters left out …]`;
  const parts = [text.slice(0, start), marker, text.slice(end)];
  const shrunk = parts.filter((part) => part !== "").join("\n");
  return shrunk.length < text.length ? shrunk : text;
}

const MARKER = /(?:^|\n)\[… (\d{1,15}) characters left out …\](?:\n|$)/gu;

/** A cut at a line end may lose up to a fifth of head or tail; otherwise cut at a word end. */
const LINE_COSTS = 5;

/** Returns where a head of at most `most` characters ends. */
function headEnd(text: string, most: number): number {
  const line = text.lastIndexOf("\n", most);
  if (line > 0 && most - line <= most / LINE_COSTS) return line;
  return wordAt(text, most).start;
}

/** Returns where a tail of at most `most` characters begins. */
function tailStart(text: string, most: number): number {
  if (most === 0) return text.length;
  const first = Math.max(0, text.length - most);
  const line = text.indexOf("\n", Math.max(0, first - 1)) + 1;
  if (line > 0 && line - first <= most / LINE_COSTS) return line;
  const tail = text.slice(wordAt(text, first).end);
  return text.length - tail.replace(/^[^\S\n]*\n?/u, "").length;
}

/** Longer runs without a boundary do not count as words. */
const LONGEST_WORD = 64;

/** Returns the word around an index; between words, or inside a run too long for a word, the index itself, at whole code points. */
function wordAt(text: string, index: number): { readonly start: number; readonly end: number } {
  let start = index;
  let end = index;
  while (start > 0 && end - start <= LONGEST_WORD && !isBoundary(text, start)) start -= 1;
  while (end < text.length && end - start <= LONGEST_WORD && !isBoundary(text, end)) end += 1;
  if (end - start <= LONGEST_WORD) return { start, end };
  const isSplit = isPair(text, index);
  return { start: isSplit ? index - 1 : index, end: isSplit ? index + 1 : index };
}

/** Returns whether a text may be cut before an index: next to whitespace, after a closing mark, and between letters of scripts without spaces. */
function isBoundary(text: string, index: number): boolean {
  const [before = "", after = ""] = [text[index - 1], text[index]];
  if (/\s/u.test(before) || /\s/u.test(after)) return true;
  if (isPair(text, index) || JOINING.test(before) || JOINING.test(after)) return false;
  if (/[,;)\]}>]/u.test(before)) return !/\d/u.test(after);
  return UNSPACED.test(before) || UNSPACED.test(after);
}

/** Characters that combine with their neighbor: combining marks and the zero-width joiner. */
const JOINING = /\u200d|\p{M}/u;
/** Chinese and Japanese letters and punctuation. */
const UNSPACED = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]/u;

function isPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** Deeper objects and arrays become a note, so that hostile nesting cannot overflow the stack. */
const MAX_DEPTH = 40;

/**
 * Shortens JSON text so that it stays valid JSON: long arrays keep their first and last elements around a note, long strings their head and
 * tail; if that is not enough, objects keep their first and last fields, then inner objects and arrays become a note, at last the whole. Returns `undefined` if the text is not a JSON object or array, or cannot be shortened.
 *
 * @param maxLength - The maximum length in UTF-16 code units. The result may be shorter, or longer if
 *   not even a note fits.
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
  if (!/^\s*[{[]/u.test(text)) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  let shortest = text;
  for (const keepOf of KEEPS) {
    // Binary search for the most that fits.
    for (let [fits, over] = [0, Math.max(2, maxLength)]; over - fits > 1 + fits / 32;) {
      const keep = Math.floor((fits + over) / 2);
      const shrunk = JSON.stringify(shrink(value, keepOf(keep), 0));
      const isShort = shrunk.length <= maxLength;
      if (isShort) fits = keep;
      else over = keep;
      if (isShort || shrunk.length < shortest.length) shortest = shrunk;
    }
    if (shortest.length <= maxLength) break;
  }
  return shortest.length < text.length ? shortest : undefined;
}

interface Keep {
  readonly elements: number;
  readonly characters: number;
  readonly fields: number;
  readonly depth: number;
}

/** First fewer elements and shorter strings, then fewer fields, then fewer levels. */
const KEEPS: readonly ((keep: number) => Keep)[] = [
  (keep) => ({ elements: keep, characters: keep * 8, fields: Infinity, depth: MAX_DEPTH }),
  (keep) => ({ elements: 1, characters: 8, fields: keep, depth: MAX_DEPTH }),
  (keep) => ({ elements: 1, characters: 8, fields: 1, depth: Math.min(keep - 1, MAX_DEPTH) }),
];

function shrink(value: JsonValue, keep: Keep, depth: number): JsonValue {
  if (typeof value === "string") {
    const half = Math.max(1, Math.floor(keep.characters / 2));
    return shrinkText(value, { head: half, tail: half });
  }
  if (typeof value !== "object" || value === null) return value;
  const length = depth < keep.depth ? 0 : Object.keys(value).length;
  if (length > 0) {
    const name = isArray(value) ? "element" : "field";
    return `… ${length} ${length === 1 ? name : `${name}s`} left out …`;
  }
  if (isArray(value)) return shrinkArray(value, keep, depth);
  const inner = ([key, member]: readonly [string, JsonValue]): [string, JsonValue] => [
    key,
    shrink(member, keep, depth + 1),
  ];
  const note = (left: string): [string, JsonValue] => ["…", left];
  return Object.fromEntries(ends(Object.entries(value), keep.fields, "fields", inner, note));
}

function shrinkArray(value: readonly JsonValue[], keep: Keep, depth: number): JsonValue {
  const inner = (element: JsonValue): JsonValue => shrink(element, keep, depth + 1);
  return ends(value, keep.elements, "elements", inner, (left) => left);
}

/** Returns the first and last items around a note with the number left out. */
function ends<Item, Kept>(
  items: readonly Item[],
  keep: number,
  name: string,
  inner: (item: Item) => Kept,
  note: (leftOut: string) => Kept,
): Kept[] {
  const half = Math.max(1, Math.ceil(keep / 2));
  if (items.length <= half * 2 + 1) return items.map(inner);
  const line = `… ${items.length - half * 2} of ${items.length} ${name} left out …`;
  return [...items.slice(0, half).map(inner), note(line), ...items.slice(-half).map(inner)];
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
