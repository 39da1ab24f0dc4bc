import type { HistoryEntry } from "@agent-history/core";
import { messageReader } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { langChainFormat } from "./langchain-format.ts";

/** The message that an entry was read from. */
const messageOf = new WeakMap<HistoryEntry, object>();

/** The same, by what a change of the entry leaves as it is; entries of messages that say the same may share it. */
const messageLike = new WeakMap<object, object>();

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

/** Returns the message that an entry was read from, if the entry is still the same object. */
export function cameAs(entry: HistoryEntry): object | undefined {
  return messageOf.get(entry);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
