import type { EntrySources, HistoryEntry } from "@agent-history/core";

import { readMessages } from "./internal/message-format.ts";
import { toJsonObject } from "./internal/to-json.ts";
import { openAIChatFormat } from "./openai-chat-format.ts";

/**
 * Turns OpenAI chat completion messages into entries, so that `entriesToOpenAIChat` gives the same messages back.
 * Linear.
 *
 * A message with calls is an `action`, a tool's or function's message an `observation`, a developer's a
 * `system_message`. A refusal is text. Calls that came without an id are given one by their place.
 */
export function openAIChatToEntries(
  messages: readonly object[],
  sources: EntrySources = {},
): readonly HistoryEntry[] {
  return readMessages(
    openAIChatFormat,
    messages.map((message) => toJsonObject(message)),
    sources,
  );
}
