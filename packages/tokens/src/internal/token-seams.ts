import { hashOn, type TokenTable } from "./token-table.ts";

/** Tells what byte-pair encoding merges, by the ranks of tokens and of those that they were merged from. */
export interface TokenSeams {
  /** Whether ranks tell how a token is merged, as they do for each of OpenAI's: from two tokens of lower ranks, or it is a byte. */
  readonly isInOrder: (token: number) => boolean;
  readonly areSeparate: AreSeparate;
}

/** Whether no merge crosses the seam between two neighbors, both in order, of which the second begins at `seam`. */
type AreSeparate = (bytes: Uint8Array, seam: number, before: number, after: number) => boolean;

type AreSeparateBelow = (below: number, ...pair: Parameters<AreSeparate>) => boolean;

/** What `firstOf` returns for a token without parts. */
const BYTE = -1;
const OUT_OF_ORDER = -2;
const NOT_KNOWN = -3;

/** The pairs whose answer is remembered; of two in one place the later. */
const PAIRS = 2 ** 14;

/** More than there are tokens. */
const MOST_TOKENS = 2 ** 18;

/** Creates the seams of a table. The parts of a token are looked for when they are needed first. */
export function createTokenSeams(table: TokenTable): TokenSeams {
  const { find, startOf, endOf } = table;
  const firsts = new Int32Array(table.count).fill(NOT_KNOWN);
  const seconds = new Int32Array(table.count);
  const lengthOf = (token: number): number => endOf(token) - startOf(token);

  function firstOf(token: number): number {
    const known = firsts[token] ?? OUT_OF_ORDER;
    return known === NOT_KNOWN ? findParts(token) : known;
  }

  function findParts(token: number): number {
    const start = startOf(token);
    const end = endOf(token);
    let first = end - start === 1 ? BYTE : OUT_OF_ORDER;
    for (let seam = start + 1; seam < end; seam += 1) {
      const before = find(table.bytes, start, seam);
      const after = find(table.bytes, seam, end);
      if (!isBelow(before, token) || !isBelow(after, token)) continue;
      if (!areSeparateBelow(token, table.bytes, seam, before, after)) continue;
      seconds[token] = after;
      first = before;
      break;
    }
    firsts[token] = first;
    return first;
  }

  const isInOrder = (token: number): boolean => firstOf(token) !== OUT_OF_ORDER;
  const isBelow = (part: number, token: number): boolean =>
    part >= 0 && part < token && isInOrder(part);

  /**
   * Whether no merge of a rank below `below` crosses a seam.
   *
   * Goes back from the last merges of both: the parts that meet at the seam were merged across it if their union has a lower rank
   * than what they were merged to, left and right of it; of equal ranks the leftmost is merged first.
   */
  const areSeparateBelow: AreSeparateBelow = (below, bytes, seam, before, after) => {
    let left = before;
    let right = after;
    let limit = below;
    for (;;) {
      const union = find(bytes, seam - lengthOf(left), seam + lengthOf(right));
      if (union >= 0 && union < limit) return false;
      const isLeftByte = firstOf(left) === BYTE;
      const isRightByte = firstOf(right) === BYTE;
      if (isLeftByte && isRightByte) return true;
      if (isRightByte || (!isLeftByte && left > right)) {
        limit = left;
        left = seconds[left] ?? 0;
      } else {
        limit = right + 1;
        right = firstOf(right);
      }
    }
  };

  return {
    isInOrder,
    areSeparate: rememberPairs((bytes, seam, before, after) =>
      areSeparateBelow(Infinity, bytes, seam, before, after),
    ),
  };
}

function rememberPairs(areSeparate: AreSeparate): AreSeparate {
  // Above 0 for tokens that are separate, below 0 for others.
  const pairs = new Float64Array(PAIRS);

  return (bytes, seam, before, after) => {
    const key = before * MOST_TOKENS + after + 1;
    const place = hashOn(before, after) & (PAIRS - 1);
    const known = pairs[place];
    if (known === key || known === -key) return known > 0;
    const found = areSeparate(bytes, seam, before, after);
    pairs[place] = found ? key : -key;
    return found;
  };
}
