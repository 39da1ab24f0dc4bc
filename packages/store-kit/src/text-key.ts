import { corrupt, jsonIn } from "./store-errors.ts";

/**
 * Encodes a text so that different texts stay different in an SQL database: NUL and lone surrogates, which UTF-8 cannot encode, are escaped as in JSON.
 * The key of a prefix is a prefix of the key, unless the prefix ends within a surrogate pair.
 */
export function textKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Decodes a key back to its text.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is not a valid key. The error does not quote the key.
 */
export function keyText(key: string): string {
  const text = jsonIn(`"${key}"`);
  if (typeof text === "string") return text;
  throw corrupt("the stored names", { reason: "name" });
}
