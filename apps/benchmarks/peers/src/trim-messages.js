import { trimMessages } from "@langchain/core/messages";

import { fromLangchain, langchainCounter, toLangchain } from "./langchain-messages.js";

/** `trimMessages` of @langchain/core, as its documentation has it: the last, with the system message, beginning with a human's. */
export function trimMessagesSystem({ messageCounter, remembers, startOn }) {
  const how = [remembers ? "caching counter" : "exact counter", ...(startOn ? [] : ["without startOn"])];
  return {
    name: `trimMessages, ${how.join(", ")}`,
    // It is quadratic in what it drops.
    maxMessages: remembers ? 10_000 : 1000,
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers: false });
      const log = messages.map(toLangchain);
      const tokenCounter = langchainCounter(counter, remembers);
      return {
        append: (added) => log.push(...added.map(toLangchain)),
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
        tokenised: counter.tokenised,
      };
    },
  };
}
