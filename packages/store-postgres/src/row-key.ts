import { createHash } from "node:crypto";

import { textKey } from "@agent-history/store-kit";

/** An index takes at most 2,704 bytes. */
const MOST_BYTES = 600;
const KEPT = 300;

/**
 * Writes an id as rows have it: readable, NUL and halves of surrogate pairs escaped, and a long one as its beginning with a hash. Different ids give
 * different keys: no escaped text has two quotes in a row.
 */
export function rowKey(id: string): string {
  const key = escaped(id);
  if (key.length <= MOST_BYTES / 3 || Buffer.byteLength(key) <= MOST_BYTES) return key;
  const hash = createHash("sha256").update(key).digest("hex");
  return `${key.slice(0, KEPT).replace(/[\uD800-\uDBFF]$/, "")}""${hash}`;
}

/** The whole id, escaped, where its key shortens it. */
export function fullIdOf(id: string): string | null {
  const key = escaped(id);
  return rowKey(id) === key ? null : key;
}

/** Escapes what a client may lose: decoders take a byte order mark away where a text begins with it. */
export function escaped(id: string): string {
  return textKey(id).replaceAll("\uFEFF", "\\ufeff");
}
