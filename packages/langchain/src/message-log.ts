import type { HistoryEntry } from "@agent-history/core";
import { requireMessages } from "@agent-history/format-kit";

import type { FromMessagesOptions } from "./from-messages.ts";
import { readFrom } from "./internal/came-as.ts";
import type { LangChainMessage, LangChainMessageLike } from "./langchain-message.ts";
import { toMessages } from "./to-messages.ts";
import type { ToMessagesOptions } from "./to-messages.ts";

/** A conversation that grows: each message is read once. */
export interface MessageLog {
  /** The entries of all messages so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /** Reads messages, and these alone, behind those before. Returns their entries. */
  readonly append: (messages: readonly LangChainMessageLike[]) => readonly HistoryEntry[];
  /** Turns entries into messages, as `toMessages` does. */
  readonly toMessages: <Message extends object = LangChainMessage>(
    entries: readonly HistoryEntry[],
    options?: ToMessagesOptions<Message>,
  ) => Message[];
}

/**
 * Starts a conversation for a loop that appends: each call costs only the new messages, at any length. The entries are those of
 * `fromMessages` on all messages. A message that you change after it was appended is not read again: use `fromMessages`.
 *
 * @example
 * ```ts
 * import { messageLog } from "@agent-history/langchain";
 *
 * const log = messageLog();
 * log.append([{ role: "user", content: "To Rome, please." }]);
 * log.append([{ role: "assistant", content: "Two flights go there." }]);
 * log.entries.map(({ type }) => type);
 * // => ["user_message", "assistant_message"]
 * ```
 */
export function messageLog(options: FromMessagesOptions = {}): MessageLog {
  const read = readFrom(options);
  const entries: HistoryEntry[] = [];
  return {
    entries,
    append: (messages) => {
      requireMessages(messages);
      const added = messages.flatMap((message) => read(message));
      for (const entry of added) entries.push(entry);
      return added;
    },
    toMessages,
  };
}
