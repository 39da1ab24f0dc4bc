import { readOr } from "./over-readable.ts";

/** Identifies the algorithm of {@link contentHash}. Stored beside hashes; hashes of different algorithms cannot be compared. */
export const CONTENT_HASH = "murmur3-x86-32x4/1";

/**
 * Hashes a JSON value over its fields: 128 bits as 32 hexadecimal digits. The order of keys and keys without a value do not matter. Linear.
 *
 * Values that cannot be read (cyclic, too deep, with a field that throws) have one hash.
 *
 * Detects changes. Not a cryptographic hash: collisions can be constructed.
 *
 * @example
 * ```ts
 * import { contentHash } from "@agent-history/core/kit";
 *
 * contentHash({ a: 1, b: "x" }) === contentHash({ b: "x", a: 1, c: undefined });
 * // => true
 * contentHash("");
 * // => "5100d98f613f53f5879b475bbd0bb351"
 * ```
 */
export function contentHash(value: unknown): string {
  const text = readOr("u", () => fieldsText(value));
  // Words of two code units.
  return hashText(text.length % 2 === 0 ? text : `${text} `);
}

/** Serializes a value unambiguously: each part begins with its kind and length. */
function fieldsText(value: unknown): string {
  if (typeof value === "string") return `s${value.length}:${value}`;
  if (typeof value === "boolean" || Number.isFinite(value)) return `${String(value)};`;
  // Other values are not JSON, which writes them as `null`.
  if (typeof value !== "object" || value === null) return "n;";
  if (Array.isArray(value)) {
    let text = `a${value.length}:`;
    for (const item of value) text += fieldsText(item);
    return text;
  }
  let text = "o";
  for (const [key, field] of Object.entries(value).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    if (field !== undefined) text += fieldsText(key) + fieldsText(field);
  }
  return `${text};`;
}

/** MurmurHash3_x86_32 by Austin Appleby (public domain) of the text as UTF-16LE, with the seeds 0 to 3, one after the other. */
function hashText(text: string): string {
  let [one, two, three, four] = [0, 1, 2, 3];
  for (let index = 0; index < text.length; index += 2) {
    const word = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16);
    const mixed = imul(rotate(imul(word, 0xcc9e2d51), 15), 0x1b873593);
    one = stir(one, mixed);
    two = stir(two, mixed);
    three = stir(three, mixed);
    four = stir(four, mixed);
  }
  return [one, two, three, four].map((lane) => hex(lane ^ (text.length * 2))).join("");
}

const { imul } = Math;

function rotate(lane: number, bits: number): number {
  return (lane << bits) | (lane >>> (32 - bits));
}

function stir(lane: number, mixed: number): number {
  return (imul(rotate(lane ^ mixed, 13), 5) + 0xe6546b64) | 0;
}

function hex(lane: number): string {
  const once = imul(lane ^ (lane >>> 16), 0x85ebca6b);
  const twice = imul(once ^ (once >>> 13), 0xc2b2ae35);
  return ((twice ^ (twice >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
