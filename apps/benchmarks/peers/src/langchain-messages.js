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
  const content =
    typeof message.content === "string" ? message.content : JSON.stringify(message.content);
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

/** Counts what is sent of messages by a counter of plain ones. */
export function freshCounter(counter) {
  return (messages) =>
    messages.reduce((sum, message) => sum + counter.countMessage(fromLangchain(message)), 3);
}

/** The same, each message once. What copies messages makes it ask again, so the counter had better remember texts. */
export function langchainCounter(counter) {
  const known = new WeakMap();
  const count = (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const tokens = counter.countMessage(fromLangchain(message));
    known.set(message, tokens);
    return tokens;
  };
  return (messages) => messages.reduce((sum, message) => sum + count(message), 3);
}
