/**
 * Writes any text so that SQLite keeps it apart from every other: NUL and halves of surrogate pairs, which UTF-8 cannot say, are escaped as in
 * JSON. What begins with one text begins with its key, where the text does not end within a pair.
 */
export function textKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Gives the text of a key. */
export function keyText(key: string): string {
  const text: unknown = JSON.parse(`"${key}"`);
  return String(text);
}
