import { textHash } from "./text-hash.ts";

/** Where a message stands, and what it says. */
export interface MessagePosition {
  readonly prefix: string;
  /** Its position in the conversation, from 0. */
  readonly index: number;
  readonly text: string;
}

/**
 * Makes ids from position and text, so that the same conversation, read again, has the same ids: `note-3-1k2x9f` for the first
 * entry of a message, `note-3-1k2x9f/1` for the second.
 */
export function positionIds({ prefix, index, text }: MessagePosition): () => string {
  return countedIds(`${prefix}-${index}-${textHash(text)}`);
}

/** Makes the ids of the entries of one message: its name for the first, `name/1` for the second. */
export function countedIds(base: string): () => string {
  let count = 0;
  return () => {
    const id = count === 0 ? base : `${base}/${count}`;
    count += 1;
    return id;
  };
}
