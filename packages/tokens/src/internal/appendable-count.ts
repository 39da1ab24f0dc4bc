import type { AppendableCount } from "../appendable-counter.ts";

/** What counts the texts of an encoding. */
export interface PieceCounter {
  /** Counts the tokens of the pre-tokens that nothing appended can change, and the characters that these have. */
  readonly countSettled: (text: string) => { readonly tokens: number; readonly characters: number };
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
export function appendableCount({ countSettled, countWhole }: PieceCounter): SettlingCount {
  let settled = 0;
  let open = "";
  // An open end that did not settle is looked at again when it has doubled: linear work for any text.
  let settlesFrom = LEAST_TO_SETTLE;

  function settle(): void {
    const { tokens, characters } = countSettled(wholeCharacters(open));
    settled += tokens;
    open = open.slice(characters);
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

/** Returns a text without the first half of a pair at its end, which is not a character yet. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
