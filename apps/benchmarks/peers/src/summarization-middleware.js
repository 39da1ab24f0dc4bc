import { RemoveMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { summarizationMiddleware } from "langchain";

import { fromLangchain, langchainCounter, toLangchain } from "./langchain-messages.js";

/**
 * `summarizationMiddleware` of langchain before its model call, with a model that answers at once. As in an agent that
 * `createAgent` made, the system prompt stands apart and takes its share of the window, and what the middleware gives back is the
 * agent's state from then on.
 */
export function summarizationSystem({ name, messageCounter }) {
  return {
    name,
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers: true });
      const tokenCounter = langchainCounter(counter);
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
        tokenized: counter.tokenized,
        summarized: () => model.prompts.reduce((sum, prompt) => sum + asked(counter, prompt), 0),
      };
    },
  };
}

function asked(counter, content) {
  return counter.countRequest([{ role: "user", content }]);
}

/** Answers at once, and knows what it was asked. */
class CountingModel extends FakeListChatModel {
  prompts = [];

  async _generate(messages, ...rest) {
    this.prompts.push(messages.map(({ content }) => content).join("\n"));
    return super._generate(messages, ...rest);
  }
}
