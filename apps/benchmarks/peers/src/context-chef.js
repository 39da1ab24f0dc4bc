import { tmpdir } from "node:os";

import { ContextChef } from "@context-chef/core";

import { remembered } from "../../src/messages/remembered.ts";

const SILENT = { warn: () => {}, info: () => {}, error: () => {}, debug: () => {} };

/**
 * @context-chef/core with an exact tokenizer and a model that answers at once, compiled for OpenAI. After a compression the summary
 * stands in the log for the messages that `onCompress` names: a log that is handed in whole again would not be compressed at the
 * next call. As the trigger looks at the history alone, the system prompt takes its share of the window.
 */
export function contextChefSystem({ messageCounter }) {
  return {
    open: (messages, windowTokens) => {
      const counter = messageCounter();
      const count = remembered((message) => counter.countMessage(plain(message)));
      const systems = messages.filter(({ role }) => role === "system");
      let log = messages.filter(({ role }) => role !== "system").map(own);
      const prompts = [];
      const chef = new ContextChef({
        vfs: { storageDir: tmpdir() },
        janitor: {
          contextWindow: Math.max(1, windowTokens - counter.countRequest(systems) + 3),
          tokenizer: (history) => history.reduce((sum, message) => sum + count(message), 3),
          compressionModel: async (asked) => {
            prompts.push(asked.map(plain));
            return "The user and the agent talked about valves.";
          },
          onCompress: (summary, compressed) => {
            log = [summary, ...log.slice(compressed)];
          },
        },
        logger: SILENT,
      });
      chef.setSystemPrompt(systems.map((message) => ({ ...message })));
      return {
        append: (added) => {
          const more = added.map(own);
          log.push(...more);
          more.forEach(count);
        },
        fit: async () => {
          const { messages: sent } = await chef.setHistory(log).compile({ target: "openai" });
          return () => sent.map(plain);
        },
        summarized: () => prompts.reduce((sum, asked) => sum + counter.countRequest(asked), 0),
      };
    },
  };
}

function own(message) {
  return { ...message, content: message.content ?? "" };
}

function plain({ role, content, tool_calls: calls, tool_call_id: callId }) {
  return {
    role,
    content: textOf(content),
    ...(calls !== undefined && calls.length > 0 && { tool_calls: calls }),
    ...(callId !== undefined && { tool_call_id: callId }),
  };
}

function textOf(content) {
  if (content === undefined || content === null) return null;
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}
