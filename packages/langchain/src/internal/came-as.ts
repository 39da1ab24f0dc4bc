import type { HistoryEntry } from "@agent-history/core";
import { messageReader } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { langChainFormat } from "./langchain-format.ts";
import { messageFields } from "./message-fields.ts";
import { hasStaleAnswer } from "./stale-answer.ts";

/** The message that an entry was read from. */
const messageOf = new WeakMap<HistoryEntry, object>();

/** The same, by what a change of the entry leaves as it is; entries of messages that say the same may share it. */
const messageLike = new WeakMap<object, object>();

/** Whether the message of an entry holds a copy of itself that says otherwise. */
const stale = new WeakMap<HistoryEntry, boolean>();

/** Reads a conversation message by message, and remembers which entry came from which. */
export function readFrom(options: ReadOptions): (message: unknown) => readonly HistoryEntry[] {
  const read = messageReader(langChainFormat, options);
  return (message) => {
    const entries = read(message);
    for (const entry of entries) {
      if (!isObject(message)) continue;
      messageOf.set(entry, message);
      if (entry.origin) messageLike.set(entry.origin, message);
    }
    return entries;
  };
}

/** Returns the message that an entry was read from, or one that said the same, whatever the entry says now. */
export function messageBehind({ origin }: HistoryEntry): object | undefined {
  return origin === undefined ? undefined : messageLike.get(origin);
}

/** Returns the message that an entry was read from, if the entry is still the same object, and the message may be sent as it is. */
export function cameAs(entry: HistoryEntry): object | undefined {
  const message = messageOf.get(entry);
  if (message === undefined) return undefined;
  const isStale = stale.get(entry) ?? hasStaleAnswer(messageFields(message));
  stale.set(entry, isStale);
  return isStale ? undefined : message;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
