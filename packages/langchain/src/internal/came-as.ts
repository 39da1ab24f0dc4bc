import type { HistoryEntry } from "@agent-history/core";
import { cameAs, readMessages } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { langChainFormat } from "./langchain-format.ts";
import { hasStaleAnswer } from "./stale-answer.ts";

/** The message that an entry was read from, by what a change of the entry leaves as it is. */
const messageOf = new WeakMap<object, object>();

/** Reads messages, one for each entry, and remembers which entry came from which. */
export function readFrom(
  messages: readonly unknown[],
  options: ReadOptions,
): readonly HistoryEntry[] {
  const entries = readMessages(langChainFormat, messages, options);
  for (const [index, { origin }] of entries.entries()) {
    const message = messages[index];
    if (origin !== undefined && typeof message === "object" && message !== null) {
      messageOf.set(origin, message);
    }
  }
  return entries;
}

/** Returns the message that an entry was read from, or one that said the same, whatever the entry says now. */
export function messageBehind({ origin }: HistoryEntry): object | undefined {
  return origin === undefined ? undefined : messageOf.get(origin);
}

/** Returns the message that an entry was read from, if the entry is still the same object, and the message may be sent as it is. */
export function unchangedMessage(entry: HistoryEntry): object | undefined {
  const message = cameAs(langChainFormat, [entry]);
  const isStale = message !== undefined && hasStaleAnswer(message);
  return isStale ? undefined : message;
}
