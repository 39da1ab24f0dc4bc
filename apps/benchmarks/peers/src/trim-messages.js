import { trimMessages } from "@langchain/core/messages";

import {
  freshCounter,
  fromLangchain,
  langchainCounter,
  toLangchain,
} from "./langchain-messages.js";

/** `trimMessages` of @langchain/core, as its documentation has it: the last, with the system message, beginning with a human's. */
export function trimMessagesSystem({ name, messageCounter, remembers, startOn }) {
  return {
    name,
    ...(!remembers && { isUncached: true }),
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers });
      const log = messages.map(toLangchain);
      const tokenCounter = remembers ? langchainCounter(counter) : freshCounter(counter);
      return {
        append: (added) => {
          const more = added.map(toLangchain);
          log.push(...more);
          if (remembers) tokenCounter(more);
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
        tokenized: counter.tokenized,
      };
    },
  };
}
