import { createHash } from "node:crypto";

import { textKey } from "@agent-history/store-kit";

/** A B-tree index entry has at most 2,704 bytes. */
const MOST_BYTES = 600;
const KEPT = 300;

/**
 * Encodes an id as a key of rows: readable, with NUL and lone surrogates escaped; a long id is shortened to its beginning and a hash. Different ids have
 * different keys: an escaped text never contains two quotes in a row.
 */
export function rowKey(id: string): string {
  const key = escaped(id);
  if (key.length <= MOST_BYTES / 3 || Buffer.byteLength(key) <= MOST_BYTES) return key;
  const hash = createHash("sha256").update(key).digest("hex");
  return `${key.slice(0, KEPT).replace(/[\uD800-\uDBFF]$/, "")}""${hash}`;
}

/** The full id, escaped, if its key is shortened; otherwise `null`. */
export function fullIdOf(id: string): string | null {
  const key = escaped(id);
  return rowKey(id) === key ? null : key;
}

/** Escapes an id, including byte order marks: decoders drop one at the beginning of a text. */
export function escaped(id: string): string {
  return textKey(id).replaceAll("\uFEFF", "\\ufeff");
}
