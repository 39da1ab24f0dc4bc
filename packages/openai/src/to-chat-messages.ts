import type { HistoryEntry, Viewer } from "@agent-history/core";
import { repairFor, writeMessages } from "@agent-history/format-kit";

import type { ChatMessage } from "./chat-message.ts";
import { foreignChatRules } from "./chat-rules.ts";
import { chatFormat } from "./internal/chat-format.ts";

/**
 * Converts entries to OpenAI chat messages, one for each, in their order. Linear. A result with images or files is followed, after the other
 * results of its action, by a user's message that shows them, as OpenAI takes none in results.
 *
 * What came from chat messages is given back as it came, with what it says now: a result that was shrunk since is written shrunk.
 * Other entries read as core's `messageRole` says; their images and files are sent in user messages only, their reasoning and
 * opaque parts not at all. A valid history (`checkHistory`) gives messages that OpenAI takes.
 *
 * @param viewer - Whose prompt it is: one's own `final` is an assistant's message, another agent's a user's.
 *
 * @example
 * ```ts
 * import { final, userMessage } from "@agent-history/core";
 * import { toChatMessages } from "@agent-history/openai";
 *
 * const report = final({ content: "Two seats left.", agent: { id: "w1", role: "worker" } });
 * toChatMessages([userMessage({ content: "Any seats?" }), report], { agentId: "m1" });
 * // => [
 * //   { role: "user", content: "Any seats?" },
 * //   { role: "user", content: "Two seats left." },
 * // ]
 * ```
 */
export function toChatMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): ChatMessage[] {
  const repaired = repairFor({ rules: foreignChatRules }, entries, viewer);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever its provider put there
  return writeMessages(chatFormat, repaired.entries, { viewer }) as ChatMessage[];
}
