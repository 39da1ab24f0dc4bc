import type { HistoryEntry } from "@agent-history/core";

import { messageReader } from "./read-messages.ts";
import type { ReadOptions } from "./read-messages.ts";

/** A message, and the entries that it became. */
export interface ReadMessage<Message extends object> {
  readonly message: Message;
  readonly entries: readonly HistoryEntry[];
}

/** The whole of a conversation of which only a part is sent, and comes back with what is new behind it. */
export interface StepLog<Message extends object> {
  /** Gives the whole, with what came behind what was sent; only that is read. Where what was sent was changed since, what came is the whole. */
  readonly take: (came: readonly Message[]) => readonly ReadMessage<Message>[];
  /** Remembers what was sent of it. */
  readonly sent: (messages: Message[]) => Message[];
}

/** Begins with nothing sent. */
export function stepLog<Message extends object>(options: ReadOptions): StepLog<Message> {
  let whole: ReadMessage<Message>[] = [];
  let read = messageReader(options);
  let before: readonly Message[] = [];
  return {
    take: (came) => {
      const isGrown = before.every((message, index) => message === came[index]);
      if (!isGrown) {
        whole = [];
        read = messageReader(options);
      }
      for (const message of isGrown ? came.slice(before.length) : came) {
        whole.push({ message, entries: read(message) });
      }
      return whole;
    },
    sent: (messages) => {
      // A copy: the list that is handed out is the caller's.
      before = [...messages];
      return messages;
    },
  };
}
