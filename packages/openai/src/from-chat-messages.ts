import type { HistoryEntry } from "@agent-history/core";
import { readMessages } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import type { ChatMessageLike } from "./chat-message.ts";
import { chatFormat } from "./internal/chat-format.ts";

/** What the entries of a chat carry beside what its messages say. */
export type FromChatOptions = ReadOptions;

/**
 * Converts OpenAI chat messages to entries, one for each, so that `toChatMessages` restores the same messages, unknown fields
 * and unknown kinds included. Linear.
 *
 * A message with calls is an `action`, a tool's or function's message an `observation`, a developer's a `system_message`. A
 * message of no known role goes through whole, as an opaque part of an `assistant_message`. Calls that came without an id are given
 * one by their place.
 *
 * Without `newId`, ids come from position and text (`chat-3-1k2x9f`): pass the whole conversation at each call, longer each
 * time, and the entries of the messages before keep their ids, so that a reducer's previous plan goes on; a message that was changed
 * is another entry. The same message object gives the same entry object, so that what was counted stays counted.
 *
 * @example
 * ```ts
 * import { fromChatMessages } from "@agent-history/openai";
 *
 * const entries = fromChatMessages([
 *   { role: "system", content: "You book flights." },
 *   { role: "user", content: "To Rome, please." },
 * ]);
 * entries.map(({ type, content }) => `${type}: ${content}`);
 * // => ["system_message: You book flights.", "user_message: To Rome, please."]
 * ```
 */
export function fromChatMessages(
  messages: readonly ChatMessageLike[],
  options: FromChatOptions = {},
): readonly HistoryEntry[] {
  return readMessages(chatFormat, messages, options);
}
