import { coerceMessageLikeToMessage, RemoveMessage, trimMessages } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { summarizationMiddleware } from "langchain";

import { remembered } from "../../src/messages/remembered.ts";

/** `trimMessages` of @langchain/core, as its documentation has it: the last, with the system message, beginning with a human's. */
export function trimMessagesSystem({ messageCounter, startOn }) {
  return {
    open: (messages, windowTokens) => {
      const tokenCounter = countingOnce(messageCounter());
      const log = messages.map(toLangchain);
      return {
        append: (added) => {
          const more = added.map(toLangchain);
          log.push(...more);
          tokenCounter(more);
        },
        fit: async () => {
          const kept = await trimMessages(log, {
            maxTokens: windowTokens,
            strategy: "last",
            includeSystem: true,
            tokenCounter,
            ...(startOn && { startOn: "human" }),
          });
          return () => kept.map(fromLangchain);
        },
      };
    },
  };
}

/**
 * `summarizationMiddleware` of langchain before its model call, with a model that answers at once. As in an agent of `createAgent`, the
 * system prompt stands apart and takes its share of the window, and what the middleware returns is the agent's state from then on.
 */
export function summarizationSystem({ messageCounter }) {
  return {
    open: (messages, windowTokens) => {
      const counter = messageCounter();
      const tokenCounter = countingOnce(counter);
      const systems = messages.filter(({ role }) => role === "system");
      const room = Math.max(1, windowTokens - counter.countRequest(systems) + 3);
      const model = new CountingModel({
        responses: ["The user and the agent talked about valves."],
      });
      const middleware = summarizationMiddleware({
        model,
        trigger: { tokens: room },
        keep: { tokens: Math.max(1, Math.floor(room / 2)) },
        tokenCounter,
      });
      let state = messages.filter(({ role }) => role !== "system").map(toLangchain);
      return {
        append: (added) => {
          const more = added.map(toLangchain);
          state.push(...more);
          tokenCounter(more);
        },
        fit: async () => {
          const update = await middleware.beforeModel({ messages: state }, { context: {} });
          if (update?.messages !== undefined) {
            state = update.messages.filter((message) => !(message instanceof RemoveMessage));
          }
          const shown = [...state];
          return () => [...systems, ...shown.map(fromLangchain)];
        },
        summarized: () =>
          model.prompts.reduce(
            (sum, content) => sum + counter.countRequest([{ role: "user", content }]),
            0,
          ),
      };
    },
  };
}

/** Answers at once, and knows what it was asked. */
class CountingModel extends FakeListChatModel {
  prompts = [];

  async _generate(messages, ...rest) {
    this.prompts.push(messages.map(({ content }) => content).join("\n"));
    return super._generate(messages, ...rest);
  }
}

/** Counts each message once. What copies messages asks again, so the counter remembers texts, too. */
function countingOnce(counter) {
  const count = remembered((message) => counter.countMessage(fromLangchain(message)));
  return (messages) => messages.reduce((sum, message) => sum + count(message), 3);
}

function toLangchain(message) {
  return coerceMessageLikeToMessage({ ...message, content: message.content ?? "" });
}

/** Reads a message of LangChain's as a plain one; what is none stays as it is. */
function fromLangchain(message) {
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
