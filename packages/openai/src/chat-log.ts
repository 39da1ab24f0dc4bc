import type { HistoryEntry, Viewer } from "@agent-history/core";
import { conversationLog, writeMessages } from "@agent-history/format-kit";

import type { ChatMessage, ChatMessageLike } from "./chat-message.ts";
import type { FromChatOptions } from "./from-chat-messages.ts";
import { chatFormat } from "./internal/chat-format.ts";
import { showResultMedia } from "./internal/show-result-media.ts";

/** A chat that grows: each message is read once. */
export interface ChatLog {
  /** The entries of all messages so far: the same list each time, which `append` makes longer. */
  readonly entries: readonly HistoryEntry[];
  /** Reads messages, and these alone, behind those before. Returns their entries. */
  readonly append: (messages: readonly ChatMessageLike[]) => readonly HistoryEntry[];
  /** Turns entries into messages, as `toChatMessages` does; a message that stays as it came is the same object. */
  readonly toMessages: (entries: readonly HistoryEntry[], viewer?: Viewer) => ChatMessage[];
}

/**
 * Starts a chat for a loop that appends: each call costs only the new messages, at any length of the chat. The entries are those of
 * `fromChatMessages` on all messages. A message that you change after it was appended is not read again: use `fromChatMessages`.
 *
 * @example
 * ```ts
 * import { chatLog } from "@agent-history/openai";
 *
 * const chat = chatLog();
 * chat.append([{ role: "user", content: "To Rome, please." }]);
 * chat.append([{ role: "assistant", content: "Two flights go there." }]);
 * chat.toMessages(chat.entries).map(({ role }) => role);
 * // => ["user", "assistant"]
 * ```
 */
export function chatLog(options: FromChatOptions = {}): ChatLog {
  const { entries, append, known } = conversationLog<ChatMessageLike>(chatFormat, options);
  return {
    entries,
    append,
    toMessages: (fitted, viewer = {}) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
      writeMessages(chatFormat, showResultMedia(fitted), { viewer, known }) as ChatMessage[],
  };
}
