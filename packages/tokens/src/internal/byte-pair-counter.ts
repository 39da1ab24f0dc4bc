import { byteString } from "./byte-string.ts";
import { countMerged } from "./count-merged.ts";
import { splitPreTokens } from "./split-pre-tokens.ts";

/** Counts the tokens of a bare text. */
export type CountText = (text: string) => number;

/** Longer pre-tokens are not words: they rarely come twice, and would fill the memory. In characters. */
const LONGEST_REMEMBERED = 64;

const MOST_REMEMBERED = 100_000;

/**
 * Creates a counter that splits by `pattern` and merges by `ranks` (tokens as byte strings).
 *
 * Exact, and close to linear for any text. A pre-token that the engine cannot split (see `splitPreTokens`) counts as
 * its bytes, the upper bound. Words are remembered, at most 100,000 of them.
 */
export function bytePairCounter(pattern: RegExp, ranks: ReadonlyMap<string, number>): CountText {
  const remembered = new Map<string, number>();
  const rankOf = (bytes: string): number | undefined => ranks.get(bytes);

  function countPreToken(preToken: string): number {
    const known = remembered.get(preToken);
    if (known !== undefined) return known;
    const bytes = byteString(preToken);
    const count = ranks.has(bytes) ? 1 : countMerged(bytes, rankOf);
    if (preToken.length <= LONGEST_REMEMBERED) {
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(preToken, count);
    }
    return count;
  }

  return (text) => {
    const preTokens = splitPreTokens(text, pattern);
    if (preTokens === undefined) return byteString(text).length;
    let count = 0;
    for (const preToken of preTokens) count += countPreToken(preToken);
    return count;
  };
}
