const ROLES: ReadonlyMap<unknown, string> = new Map([
  ["human", "user"],
  ["ai", "assistant"],
]);

/** LangChain's messages as its class for OpenAI sends them, as far as the rules of pairing ask. */
export function chatOf(messages: readonly object[]): readonly object[] {
  return messages.map((message) => {
    const { type, tool_calls: calls, ...said }: { type?: unknown; tool_calls?: unknown } = message;
    const role = ROLES.get(type) ?? type;
    const isCalling = Array.isArray(calls) && calls.length > 0;
    return { ...said, role, ...(isCalling && { tool_calls: calls }) };
  });
}
