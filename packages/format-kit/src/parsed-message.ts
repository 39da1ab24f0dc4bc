import type { HistoryEntry, JsonObject } from "@agent-history/core";

type Unstamped<Entry> = Entry extends HistoryEntry
  ? Omit<Entry, "id" | "createdAtMs" | "origin">
  : never;

/** What a message says, before it is an entry with id, time and origin. */
export interface ParsedMessage {
  readonly says: Unstamped<HistoryEntry>;
  /** What only its own format understands; becomes `origin.extra`. */
  readonly extra?: JsonObject;
}
