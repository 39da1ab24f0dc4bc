/**
 * After each 256 entries the index keeps its head, and of each agent the fact that it had there, once that changes: from them the index of any
 * earlier length of the log is worked out by reading no more entries than that.
 */
const CHECKPOINT_ENTRIES = 256;

/** The last checkpoint at a position or before it. The first, 0, is the empty log: nothing is kept for it. */
export function checkpointBefore(position: number): number {
  return Math.floor(position / CHECKPOINT_ENTRIES);
}

/** The position of a checkpoint: how many entries stand before it. */
export function positionOfCheckpoint(nth: number): number {
  return nth * CHECKPOINT_ENTRIES;
}

/** Keys of what is kept for a checkpoint: the head, and a fact that has changed since. */
export const checkpointKey: {
  readonly head: (nth: number) => string;
  readonly fact: (nth: number, key: string) => string;
} = {
  head: (nth) => `checkpoint:${nth}`,
  fact: (nth, key) => `before:${nth}:${key}`,
};
