import { conversationLog } from "./conversation-log.ts";
import type { ConversationLog } from "./conversation-log.ts";
import type { MessageFormat } from "./message-format.ts";
import type { ReadOptions } from "./stamp-drafts.ts";

/** A conversation of which only a part is sent, and which comes back with what is new behind that part. */
export interface MessageLog<Message extends object> {
  /** Returns the whole conversation; reads only what follows what was sent. If what was sent has changed since, what came is the whole. */
  readonly take: (came: readonly Message[]) => ConversationLog<Message>;
  /** Remembers what was sent of it. */
  readonly sent: (messages: Message[]) => Message[];
}

/** Makes a log with nothing sent. */
export function messageLog<Message extends object>(
  format: MessageFormat,
  options: ReadOptions = {},
): MessageLog<Message> {
  let whole = conversationLog<Message>(format, options);
  let before: readonly Message[] = [];
  return {
    take: (came) => {
      const isGrown = before.every((message, index) => message === came[index]);
      if (!isGrown) whole = conversationLog(format, options);
      whole.append(isGrown ? came.slice(before.length) : came);
      return whole;
    },
    sent: (messages) => {
      // A copy: the list that is handed out is the caller's.
      before = [...messages];
      return messages;
    },
  };
}
