import type { HistoryEntry } from "@agent-history/core";

import type { MessageFormat } from "./message-format.ts";
import { messageReader } from "./message-reader.ts";
import { requireMessages } from "./require-messages.ts";
import type { ReadOptions } from "./stamp-drafts.ts";

/** A conversation that grows: each message is read once, when it is appended. */
export interface ConversationLog<Message extends object> {
  /** The entries of all messages so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /** Reads messages, and these alone, behind those before. Returns their entries. */
  readonly append: (messages: readonly Message[]) => readonly HistoryEntry[];
  /** Returns the message that entries came from, where they are all of its entries, the same objects: `known` of `writeMessages`. */
  readonly known: (run: readonly HistoryEntry[]) => Message | undefined;
}

/** Begins a conversation without messages. Costs what is new at each call; a message that changes after it was appended is not read again. */
export function conversationLog<Message extends object>(
  format: MessageFormat,
  options: ReadOptions = {},
): ConversationLog<Message> {
  const read = messageReader(format, options);
  const entries: HistoryEntry[] = [];
  const cameAs = new Map<HistoryEntry, ReadMessage<Message>>();
  return {
    entries,
    append: (messages) => {
      requireMessages(messages);
      const before = entries.length;
      for (const message of messages) {
        const became = read(message);
        const [first] = became;
        if (first !== undefined) cameAs.set(first, { message, entries: became });
        for (const entry of became) entries.push(entry);
      }
      return entries.slice(before);
    },
    known: (run) => {
      const [first] = run;
      const came = first && cameAs.get(first);
      const isWhole =
        came?.entries.length === run.length &&
        run.every((entry, index) => entry === came.entries[index]);
      return isWhole ? came.message : undefined;
    },
  };
}

/** A message, and the entries that it became. */
interface ReadMessage<Message extends object> {
  readonly message: Message;
  readonly entries: readonly HistoryEntry[];
}
