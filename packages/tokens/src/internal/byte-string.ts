const encoder = new TextEncoder();

/** As many arguments as a call takes without complaint. */
const BYTES_AT_ONCE = 8192;

/**
 * Writes a text as its UTF-8 bytes, one character for each byte: what the keys of a rank table look like. Costs time
 * linear in its length. A lone surrogate becomes U+FFFD, as on its way to a provider.
 */
export function byteString(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text;
  const bytes = encoder.encode(text);
  let written = "";
  for (let start = 0; start < bytes.length; start += BYTES_AT_ONCE) {
    // oxlint-disable-next-line house/no-argument-spread -- So many and no more.
    written += String.fromCharCode(...bytes.subarray(start, start + BYTES_AT_ONCE));
  }
  return written;
}
