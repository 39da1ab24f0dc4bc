import type { EntryType, HistoryEntry, JsonObject, ToolCall, Viewer } from "@agent-history/core";

import type { ReadStep } from "./read-conversation.ts";
import type { WaitingCalls } from "./read-conversation.ts";

type Unstamped<Entry> = Entry extends HistoryEntry
  ? Omit<Entry, "id" | "createdAtMs" | "origin">
  : never;

/** What a message says, before it is an entry with id, time and origin. */
export interface ParsedMessage {
  readonly says: Unstamped<HistoryEntry>;
  /** What only its own format understands; becomes `origin.extra`. */
  readonly extra?: JsonObject;
}

/** Entries that are rendered as one message. */
export type MessageRun = readonly [HistoryEntry, ...HistoryEntry[]];

/**
 * How one provider's messages read as entries, and how entries are written as its messages. Neither direction handles fields that
 * no entry has: {@link readMessages} carries them, and {@link writeMessages} puts them back.
 */
export interface MessageFormat {
  /** Stands in `origin.format` of the entries that came from such messages. Never changes: stored entries carry it. */
  readonly name: string;
  /** Begins the ids that come from position and text: `note` gives `note-3-1k2x9f`. */
  readonly idPrefix: string;
  /** What messages become. An entry of another type did not come from one, whatever its origin says. */
  readonly types: readonly EntryType[];
  /**
   * How entries and messages correspond. `one-to-one`: a message is one entry, and an entry one message. `grouped`: a message may be
   * several entries, and neighboring results of another format are one message.
   */
  readonly shape: "one-to-one" | "grouped";
  /**
   * Returns what a message says; nothing for a message of an unknown kind, which is then carried whole. Depends on the message and its context alone: a message
   * object that says the same in the same place is not read again.
   */
  readonly read: (message: JsonObject, context: ReadContext) => readonly ParsedMessage[];
  /** Writes the entries of one message; `undefined` leaves it out. */
  readonly write: (run: MessageRun, context: WriteContext) => JsonObject | undefined;
  /**
   * Returns the message of a summary, a memory or a recall block and the user's message directly behind it as one, so that roles alternate;
   * `undefined` where they cannot be. Default: each is a message of its own.
   */
  readonly join?: (derived: object, message: object) => object | undefined;
  /**
   * Tells a call whose result stands in an answer, because the provider runs it. A result of another format to it is a message of its
   * own. Default: no call.
   */
  readonly isAnsweredByProvider?: (call: ToolCall) => boolean;
  /**
   * Returns what a message says, as fields, where it is an object that writes itself by `toJSON` and so cannot be compared: this is what is packed and
   * compared. Default: the message itself.
   */
  readonly said?: (message: object) => object;
  /**
   * Returns a message as JSON, by the fields that can be enumerated, `URL`s, dates, bytes and `toJSON`. Default {@link toJsonObject}; {@link packBinary} where
   * messages hold `URL`s or bytes.
   */
  readonly pack?: (message: object) => JsonObject;
  /** Returns a message as it was before `pack`. Default: as it is. */
  readonly unpack?: (packed: JsonObject) => object;
  /** Filled by the reader: which messages each entry was read from, for {@link cameAs}. Default: not recorded. */
  readonly came?: WeakMap<HistoryEntry, ReadStep>;
}

/** What is known when a message is read. */
export interface ReadContext {
  /** Its position in the conversation, from 0. */
  readonly index: number;
  /** The calls of the messages before. */
  readonly waiting: WaitingCalls;
}

/** What is known when a message is written. */
export interface WriteContext {
  /** Whose prompt it is. */
  readonly viewer: Viewer;
  /** Whether the entries came from a message of this format. */
  readonly isOwn: boolean;
  /** Returns the call that a result answers, by core's pairing; without its `extra` if it is of another format. */
  readonly callOf: (result: HistoryEntry) => ToolCall | undefined;
}
