import { corrupt } from "./store-errors.ts";

/**
 * Writes any text so that an SQL database keeps it apart from every other: NUL and halves of surrogate pairs, which UTF-8 cannot say, are escaped as in
 * JSON. What begins with one text begins with its key, where the text does not end within a pair.
 */
export function textKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Returns the text of a key.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it is none. It quotes nothing.
 */
export function keyText(key: string): string {
  try {
    const text: unknown = JSON.parse(`"${key}"`);
    return String(text);
  } catch {
    throw corrupt("the stored names", { reason: "name" });
  }
}
