import type { EntryType, HistoryEntry, JsonObject, ToolCall, Viewer } from "@agent-history/core";

import type { ReadStep, WaitingCalls } from "./read-conversation.ts";

type Unstamped<Entry> = Entry extends HistoryEntry
  ? Omit<Entry, "id" | "createdAtMs" | "origin">
  : never;

/** An entry read from a message, before it gets id, time and origin. */
export interface ParsedMessage {
  readonly says: Unstamped<HistoryEntry>;
  /** Data that only its own format understands; becomes `origin.extra`. */
  readonly extra?: JsonObject;
}

/** Entries that are written as one message. */
export type MessageRun = readonly [HistoryEntry, ...HistoryEntry[]];

/**
 * How messages of one provider are read as entries, and entries are written as messages. Neither direction handles fields that
 * an entry does not have: {@link readMessages} carries them, and {@link writeMessages} restores them.
 */
export interface MessageFormat {
  /** `origin.format` of entries read from such messages. Must never change: stored entries contain it. */
  readonly name: string;
  /** Prefix of ids derived from position and text: `note` results in `note-3-1k2x9f`. */
  readonly idPrefix: string;
  /** Entry types that messages are read as. An entry of another type is not treated as read from this format, whatever its origin states. */
  readonly types: readonly EntryType[];
  /**
   * How entries and messages correspond. `one-to-one`: a message is one entry, and an entry one message. `grouped`: a message may be
   * several entries, and neighboring results of another format are one message.
   */
  readonly shape: "one-to-one" | "grouped";
  /**
   * Returns the entries of a message; an empty list for an unknown kind, which then becomes one opaque part. Must depend only on the message and its context: an
   * unchanged message object is not read again.
   */
  readonly read: (message: JsonObject, context: ReadContext) => readonly ParsedMessage[];
  /** Writes the entries of one message; `undefined` omits the message. */
  readonly write: (run: MessageRun, context: WriteContext) => JsonObject | undefined;
  /**
   * Merges the message of a summary, a memory or a recall block with the user message directly after it, so that roles alternate;
   * `undefined` if they cannot be merged. Default: each is its own message.
   */
  readonly join?: (derived: object, message: object) => object | undefined;
  /**
   * Returns whether a call's result is inside an answer, because the provider runs the call. Its result from another format is written as its
   * own message. Default: no call.
   */
  readonly isAnsweredByProvider?: (call: ToolCall) => boolean;
  /**
   * Returns the fields of a message object that serializes itself with `toJSON` and so cannot be compared; these fields are packed and
   * compared. Default: the message itself.
   */
  readonly said?: (message: object) => object;
  /**
   * Converts a message to JSON: its enumerable fields, `URL`s, dates, bytes and `toJSON`. Default {@link toJsonObject}; use {@link packBinary} if
   * messages contain `URL`s or bytes.
   */
  readonly pack?: (message: object) => JsonObject;
  /** Reverses `pack`. Default: returns its argument. */
  readonly unpack?: (packed: JsonObject) => object;
  /** Filled by the reader with the messages that each entry was read from, for {@link cameAs}. Default: not recorded. */
  readonly came?: WeakMap<HistoryEntry, ReadStep>;
}

/** Context in which a message is read. */
export interface ReadContext {
  /** Its position in the conversation, from 0. */
  readonly index: number;
  /** Calls of the preceding messages. */
  readonly waiting: WaitingCalls;
}

/** Context in which a message is written. */
export interface WriteContext {
  /** The reader of the prompt. */
  readonly viewer: Viewer;
  /** Whether the entries were read from a message of this format. */
  readonly isOwn: boolean;
  /** Returns the call that a result answers, by core's pairing; without its `extra` if it is from another format. */
  readonly callOf: (result: HistoryEntry) => ToolCall | undefined;
}
