import type { AppendableCount } from "../appendable-counter.ts";

/** What counts the pieces of an encoding. */
export interface PieceCounter {
  /** Returns the pre-tokens of a text; `undefined` where it cannot be split. */
  readonly split: (text: string) => readonly string[] | undefined;
  readonly countPieces: (preTokens: readonly string[]) => number;
  readonly countWhole: (text: string) => number;
}

/** The tokens of pre-tokens that nothing appended can change are counted for good. */
export interface SettlingCount extends AppendableCount {
  /** At most `tokens()`. */
  settledTokens(): number;
}

/** Shorter ends are not looked at for what is settled in them. In characters. */
const LEAST_TO_SETTLE = 64;

/** Creates the count of a growing text: settled tokens and an open end. */
export function appendableCount({ split, countPieces, countWhole }: PieceCounter): SettlingCount {
  let settled = 0;
  let open = "";
  // An open end that did not settle is looked at again when it has doubled: linear work for any text.
  let settlesFrom = LEAST_TO_SETTLE;

  function settle(): void {
    // The first half of a pair is no character yet.
    const whole = /[\uD800-\uDBFF]$/.test(open) ? open.slice(0, -1) : open;
    const preTokens = split(whole) ?? [];
    const count = settledCount(preTokens);
    const done = preTokens.slice(0, count);
    settled += countPieces(done);
    open = open.slice(done.reduce((length, preToken) => length + preToken.length, 0));
    settlesFrom = Math.max(LEAST_TO_SETTLE, open.length * 2);
  }

  return {
    append(piece) {
      open += piece;
      if (open.length >= settlesFrom) settle();
    },
    tokens: () => settled + (open === "" ? 0 : countWhole(open)),
    settledTokens: () => settled,
  };
}

/** After a word an ending such as `'ll` may follow. In characters. */
const LONGEST_ENDING = 3;

/**
 * Counts the pre-tokens that stay as they are, whatever is appended.
 *
 * The patterns look past a pre-token by the length of an ending, and else only to where a run of letters or of white
 * space ends (in `漢ABC` a lower-case letter at the end would join all to one pre-token).
 */
function settledCount(preTokens: readonly string[]): number {
  let length = 0;
  let areLetters = true;
  let areSpaces = true;
  for (let index = preTokens.length; index > 0; index -= 1) {
    if (length > LONGEST_ENDING && !areLetters && !areSpaces) return index;
    const preToken = preTokens[index - 1] ?? "";
    length += preToken.length;
    areLetters &&= /^[\p{L}\p{M}]*$/u.test(preToken);
    areSpaces &&= /^\p{White_Space}*$/u.test(preToken);
  }
  return 0;
}
