import { memoryStore } from "@agent-history/store-kit";
import { describeStrangeInput } from "@agent-history/testkit/format";

import { langChainPage } from "../test-messages/pages/message-page.ts";
import * as langChain from "./index.ts";

const messages = langChainPage.slice(0, 8);
const {
  toToolDefinitions: _,
  langChainTarget: _target,
  countRequest: _count,
  ...translators
} = langChain;
const reducer: langChain.SyncReducer = {
  name: "none",
  reduce: (entries) => ({ entries, plan: { repairs: [] } as never }),
};
const options = { reducer, window: { contextTokens: 1000 } };
const counter = { id: "none", countText: () => 0, countEntry: () => 0, countRequest: () => 0 };
const compressor = {
  name: "none",
  compress: async () => ({ outcome: "not-needed", reason: "" }) as const,
};
const toMessage = (fields: object): object => fields;

describeStrangeInput("@agent-history/langchain, messages", translators, {
  samples: messages,
  readers: {
    fitMessages: (all) => langChain.fitMessages(all, options),
    fitMessagesAsync: async (all) => langChain.fitMessagesAsync(all, options),
    fitMiddleware: async (all) =>
      langChain.fitMiddleware(options).wrapModelCall({ messages: all }, () => ({})),
    fromMessages: (all) => langChain.fromMessages(all),
    messageHistory: async (all) => {
      const history = langChain.messageHistory(memoryStore(), "s1", { toMessage });
      await history.addMessages(all);
      await history.getMessages();
    },
    summaryMiddleware: async (all) =>
      langChain.summaryMiddleware({ compressor }).wrapModelCall({ messages: all }, () => ({})),
    tokenCounter: (all) => langChain.tokenCounter(counter)(all),
  },
  others: ["toMessages"],
});

describeStrangeInput("@agent-history/langchain, entries", translators, {
  samples: langChain.fromMessages(messages),
  readers: {
    toMessages: (all) => langChain.toMessages(all, { viewer: { agentId: "a" } }),
  },
  others: [
    "fitMessages",
    "fitMessagesAsync",
    "fitMiddleware",
    "fromMessages",
    "messageHistory",
    "summaryMiddleware",
    "tokenCounter",
  ],
});
