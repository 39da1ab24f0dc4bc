import type { TokenCounter } from "@agent-history/core";

/** Counts a text that grows at its end, such as a streamed answer. */
export interface AppendableCount {
  /** Adds a piece to the text. A surrogate pair may be cut in two. */
  append(piece: string): void;
  /** Returns the tokens of all pieces so far, as `countText` counts them joined. */
  tokens(): number;
}

/** A counter that also counts text while it is streamed. */
export interface AppendableCounter extends TokenCounter {
  /**
   * Starts with an empty text. Appending costs what is new: only the last words are counted again, since what follows
   * may become part of them. One word that never ends is counted again as a whole at each `tokens()`.
   */
  appendable(): AppendableCount;
}
