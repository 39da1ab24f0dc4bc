import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

/** Gives a plain message as LangChain has it. */
export function toLangchain(message) {
  switch (message.role) {
    case "system":
      return new SystemMessage(message.content);
    case "user":
      return new HumanMessage(message.content);
    case "tool":
      return new ToolMessage({ content: message.content, tool_call_id: message.tool_call_id });
    default:
      return new AIMessage({
        content: message.content ?? "",
        tool_calls: (message.tool_calls ?? []).map(({ id, function: made }) => ({
          id,
          name: made.name,
          args: JSON.parse(made.arguments),
          type: "tool_call",
        })),
      });
  }
}

/** Reads a message of LangChain's as a plain one; what is none stays as it is. */
export function fromLangchain(message) {
  if (message === undefined || message === null) return message;
  const content = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
  const type = message.getType();
  if (type === "system") return { role: "system", content };
  if (type === "human") return { role: "user", content };
  if (type === "tool") return { role: "tool", tool_call_id: message.tool_call_id, content };
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** Counts what is sent of a message by a counter of plain ones, each message once where `remembers`. */
export function langchainCounter(counter, remembers) {
  const known = new WeakMap();
  const count = (message) => {
    const before = remembers ? known.get(message) : undefined;
    if (before !== undefined) return before;
    const tokens = counter.countMessage(fromLangchain(message));
    if (remembers) known.set(message, tokens);
    return tokens;
  };
  return (messages) => messages.reduce((sum, message) => sum + count(message), 3);
}
