import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";

import { writeMessages } from "./internal/message-format.ts";
import { openAIChatFormat } from "./openai-chat-format.ts";

/**
 * Turns entries into OpenAI chat completion messages. Linear.
 *
 * What came from such messages is given back as it came. Other entries read as `messageRole` says; reasoning and
 * opaque parts of other formats are left out.
 */
export function entriesToOpenAIChat(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): readonly JsonObject[] {
  return writeMessages(openAIChatFormat, entries, viewer);
}
