import type { ChatMessage } from "@agent-history/offline-model";

/** Joins what a protocol writes as several items: an assistant's text and its calls are one message. */
export function joinCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "assistant" && message.toolCalls && last?.role === "assistant") {
      const toolCalls = [...(last.toolCalls ?? []), ...message.toolCalls];
      joined.splice(-1, 1, { ...last, toolCalls });
    } else joined.push(message);
  }
  return joined;
}
