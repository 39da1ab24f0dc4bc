import type { ChatMessage } from "@agent-history/offline-model";

/**
 * Gives each result the name of its tool, by the call before it.
 *
 * Throws where a real server refuses a prompt: a call without its result directly behind it, or a result without its call.
 */
export function nameResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const waiting = new Map<string, string>();
  const named = messages.map((message) => {
    if (message.role === "tool") {
      const toolName = waiting.get(message.callId);
      if (toolName === undefined) throw new Error("A result without its call.");
      waiting.delete(message.callId);
      return { ...message, toolName };
    }
    if (waiting.size > 0) throw new Error("A call without its result.");
    if (message.role === "assistant")
      for (const { id, name } of message.toolCalls ?? []) waiting.set(id, name);
    return message;
  });
  if (waiting.size > 0) throw new Error("A call without its result.");
  return named;
}
