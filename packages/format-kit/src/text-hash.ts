/** Returns a short name for a text: FNV-1a, 32 bits, over its UTF-16 code units. Tells a changed message, not a forged one. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
