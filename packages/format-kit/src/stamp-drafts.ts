import type { Agent, EntrySources, HistoryEntry } from "@agent-history/core";

import type { ParsedMessage } from "./message-format.ts";

/** What the entries of messages carry beside what the messages say. */
export interface ReadOptions extends EntrySources {
  /** The turn that all of them belong to. Default: none, and a user message begins a turn. */
  readonly turnId?: string;
  /** The agent whose messages they are. */
  readonly agent?: Agent;
}

/** Which message the drafts are of. */
export interface MessageStamp extends Omit<ReadOptions, "newId"> {
  /** The format's name, for `origin.format`. */
  readonly format: string;
  /** Returns the id of each entry; that of the first names the message. */
  readonly nextId: () => string;
  /** Whether the ids come from position and text; entries then say so in `origin.derivedId`. Default `false`. */
  readonly isDerived?: boolean;
}

/** Turns the drafts of one message into entries. */
export function stampDrafts(
  drafts: readonly ParsedMessage[],
  { format, nextId, isDerived = false, now = Date.now, turnId, agent }: MessageStamp,
): readonly HistoryEntry[] {
  const ids = drafts.map(() => nextId());
  const message = ids[0] ?? "";
  const stamp = { ...(turnId !== undefined && { turnId }), ...(agent !== undefined && { agent }) };
  return drafts.map(({ says, extra }, index): HistoryEntry => {
    const origin = {
      format,
      message,
      index,
      ...(isDerived && { derivedId: true }),
      ...(extra !== undefined && { extra }),
    };
    return { ...says, id: ids[index] ?? message, createdAtMs: now(), ...stamp, origin };
  });
}

/** Returns whether two readings of a message gave the same bytes, but for their time. */
export function sameEntries(
  known: readonly HistoryEntry[],
  entries: readonly HistoryEntry[],
): boolean {
  return (
    known.length === entries.length &&
    known.every((entry, index) => {
      const now = entries[index];
      if (now === undefined) return false;
      return JSON.stringify({ ...entry, createdAtMs: now.createdAtMs }) === JSON.stringify(now);
    })
  );
}

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

/** Returns a short name for a text: FNV-1a, 32 bits, over its UTF-16 code units. Tells a changed message, not a forged one. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
