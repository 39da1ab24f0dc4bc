import { ContextChef } from "@context-chef/core";

/** @context-chef/core with an exact tokenizer and a model that answers at once, compiled for OpenAI. */
export function contextChefSystem({ messageCounter }) {
  return {
    name: "ContextChef, summarize, fake model",
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers: true });
      const chef = new ContextChef({
        janitor: {
          contextWindow: windowTokens,
          tokenizer: (history) => history.reduce((sum, message) => sum + counter.countMessage(plain(message)), 3),
          compressionModel: async () => "The user and the agent talked about valves.",
        },
        logger: { warn: () => {}, info: () => {}, error: () => {}, debug: () => {} },
      });
      const systems = messages.filter(({ role }) => role === "system");
      chef.setSystemPrompt(systems.map((message) => ({ ...message })));
      const log = messages.filter(({ role }) => role !== "system").map(own);
      return {
        append: (added) => log.push(...added.map(own)),
        fit: async () => {
          const { messages: sent } = await chef.setHistory([...log]).compile({ target: "openai" });
          return () => sent.map(plain);
        },
        tokenised: counter.tokenised,
      };
    },
  };
}

function own(message) {
  return { ...message, content: message.content ?? "" };
}

function plain({ role, content, tool_calls: calls, tool_call_id: callId }) {
  const text = typeof content === "string" ? content : content === null || content === undefined ? null : content.map(({ text }) => text ?? "").join("");
  return {
    role,
    content: text,
    ...(calls !== undefined && calls.length > 0 && { tool_calls: calls }),
    ...(callId !== undefined && { tool_call_id: callId }),
  };
}
