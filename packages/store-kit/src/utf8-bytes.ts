const encoder = new TextEncoder();
/** Reused: to make room for each text costs more than to count it. */
const scratch = new Uint8Array(64 * 1024);

/** Counts the UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  const fits = text.length * 3 <= scratch.length;
  return fits ? encoder.encodeInto(text, scratch).written : encoder.encode(text).length;
}
