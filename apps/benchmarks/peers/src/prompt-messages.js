/** Gives a plain message as the AI SDK's prompts have it. */
export function toPrompt(message, nameOf) {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: [{ type: "text", text: message.content }] };
    case "tool":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: message.tool_call_id,
            toolName: nameOf(message.tool_call_id),
            output: { type: "text", value: message.content },
          },
        ],
      };
    default:
      return {
        role: "assistant",
        content: [
          ...(message.content ? [{ type: "text", text: message.content }] : []),
          ...(message.tool_calls ?? []).map(({ id, function: made }) => ({
            type: "tool-call",
            toolCallId: id,
            toolName: made.name,
            input: JSON.parse(made.arguments),
          })),
        ],
      };
  }
}

/** Reads a message of a prompt as plain ones: a tool message may hold several results. */
export function fromPrompt(message) {
  if (message.role === "system") return [{ role: "system", content: message.content }];
  const texts = message.content.filter(({ type }) => type === "text").map(({ text }) => text);
  if (message.role === "user") return [{ role: "user", content: texts.join("") }];
  if (message.role === "tool") {
    return message.content.map(({ toolCallId, output }) => ({
      role: "tool",
      tool_call_id: toolCallId,
      content: output.value,
    }));
  }
  const calls = message.content
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      type: "function",
      function: { name: toolName, arguments: JSON.stringify(input) },
    }));
  const content = texts.length === 0 ? null : texts.join("");
  return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** Keeps a conversation as a prompt, and knows the names of its tools. */
export function promptLog(messages) {
  const names = new Map();
  const log = [];
  const append = (added) => {
    for (const message of added) {
      for (const { id, function: made } of message.tool_calls ?? []) names.set(id, made.name);
      log.push(toPrompt(message, (id) => names.get(id) ?? "unknown"));
    }
  };
  append(messages);
  return { log, append };
}
