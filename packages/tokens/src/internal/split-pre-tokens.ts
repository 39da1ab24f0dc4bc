/**
 * Splits a text into pre-tokens. Returns `undefined` where the regular expression engine runs out of stack: one
 * pre-token of some five million characters outside ASCII.
 */
export function splitPreTokens(text: string, pattern: RegExp): readonly string[] | undefined {
  try {
    return text.match(pattern) ?? [];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
