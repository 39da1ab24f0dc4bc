import { CONVERSATION_TYPES, countOption } from "@agent-history/core";
import type { HistoryFilter } from "@agent-history/core";
import { customHistoryFilter } from "@agent-history/filters";

/** Makes a filter that shows the conversation and nothing else: whole turns, the last 20 unless told otherwise. */
export function conversationHistoryFilter(
  options: { readonly maxConversationTurns?: number } = {},
): HistoryFilter {
  const turns = countOption("maxConversationTurns", options.maxConversationTurns ?? 20);
  return customHistoryFilter({
    name: "conversation",
    query: ({ maxConversationTurns = turns }) => ({
      clauses: [{ types: CONVERSATION_TYPES, lastTurns: { count: maxConversationTurns } }],
      view: "conversation",
    }),
  });
}
