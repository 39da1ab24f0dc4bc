import { FakeListChatModel } from "@langchain/core/utils/testing";
import { RemoveMessage } from "@langchain/core/messages";
import { summarizationMiddleware } from "langchain";

import { fromLangchain, langchainCounter, toLangchain } from "./langchain-messages.js";

/** `summarizationMiddleware` of langchain before its model call, with a model that answers at once. */
export function summarizationSystem({ messageCounter }) {
  return {
    name: "summarizationMiddleware, fake model",
    maxMessages: 10_000,
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers: false });
      const tokenCounter = langchainCounter(counter, true);
      const middleware = summarizationMiddleware({
        model: new FakeListChatModel({ responses: ["The user and the agent talked about valves."] }),
        trigger: { tokens: windowTokens },
        keep: { tokens: Math.floor(windowTokens / 2) },
        tokenCounter,
      });
      let log = messages.map(toLangchain);
      return {
        append: (added) => log.push(...added.map(toLangchain)),
        fit: async () => {
          const update = await middleware.beforeModel({ messages: [...log] }, { context: {} });
          const kept = update?.messages?.filter((message) => !(message instanceof RemoveMessage));
          const shown = kept ?? log;
          return () => shown.map(fromLangchain);
        },
        tokenised: counter.tokenised,
      };
    },
  };
}
