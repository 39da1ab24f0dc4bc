/** Options, with what they are where they are missing. */
export interface RecallSettings {
  readonly share: number;
  readonly headShare: number;
  readonly quotesTools: boolean;
  readonly isWish: ShareFunction;
  readonly isWide: ShareFunction;
  readonly asks: ShareFunction;
}

/** Returns how far something holds for a text, from 0 to 1. */
export type ShareFunction = (text: string) => number;

/** The share of its budget that a message has which asks nothing: no evidence for a later question is lost by less than a quarter. */
export const STATEMENT_SHARE = 0.1;
/** How much more a question about the whole has, and the most of the window it may have: at twice the share the prefix loses more than the evidence gains. */
export const WIDE_FACTOR = 1.8;
export const WIDE_MOST = 0.5;
/** How full the window may be once old blocks are gone, for turns to stay. */
export const MID = 0.95;
/** What a cut for a new question leaves of the turns. */
export const LOW = 0.25;
/** How much more a block may have that is chosen at a cut. */
export const CUT_FACTOR = 2;
/** A standing wish is at most so long, in tokens. */
export const WISH_TOKENS = 200;
/** Below this many tokens the length of an entry says nothing. */
export const LEAST_LENGTH = 128;
/** With less room than this nothing more is looked for, in tokens. */
export const LEAST_ROOM = 24;
/** At most this many windows of text are tokenized to choose a block. */
export const MOST_WINDOWS = 2;
/** What is worth less than this share of the best is not quoted, unless a question is about the whole: a large window is not filled for its own sake. */
export const LEAST_WORTH = 0.3;
/** So much of a message is looked at for what it asks, in UTF-16 code units. */
export const LONGEST = 2000;
