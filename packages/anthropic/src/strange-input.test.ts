import { describeStrangeInput } from "@agent-history/testkit/format";

import { anthropicPage } from "../test-messages/pages/message-page.ts";
import { readAny } from "../test-messages/read-any.ts";
import * as anthropic from "./index.ts";

const messages = anthropicPage.slice(0, 6);
// They take tools, a runner and stores: neither entries nor messages; a continuation takes what a fit wrote.
const {
  toToolDefinitions: _,
  fitToolRunner: _runner,
  memoryToolHandlers: _memory,
  claudeSessionStore: _sessions,
  anthropicRules: _rules,
  anthropicTarget: _target,
  droppedReasoning: _answer,
  countRequest: _count,
  continuation: _next,
  sendContinuation: _send,
  ...translators
} = anthropic;
const reducer: anthropic.SyncReducer = {
  name: "none",
  reduce: (entries) => ({ entries, plan: { repairs: [] } as never }),
};
const options = { reducer, window: { contextTokens: 1000 } };

describeStrangeInput("@agent-history/anthropic, messages", translators, {
  samples: messages,
  readers: {
    checkAnthropicMessages: (all) => anthropic.checkAnthropicMessages(all as never),
    fitAnthropicRequest: (all) => anthropic.fitAnthropicRequest(all as never, options),
    fitAnthropicRequestAsync: async (all) =>
      anthropic.fitAnthropicRequestAsync(all as never, options),
    fromAnthropicMessages: (all) => readAny(all),
  },
  others: ["toAnthropicMessages", "toAnthropicRequest"],
});

describeStrangeInput("@agent-history/anthropic, entries", translators, {
  samples: readAny(messages),
  readers: {
    toAnthropicMessages: (all) => anthropic.toAnthropicMessages(all, { agentId: "a" }),
    toAnthropicRequest: (all) => anthropic.toAnthropicRequest(all, { cache: {} }),
  },
  others: [
    "checkAnthropicMessages",
    "fitAnthropicRequest",
    "fitAnthropicRequestAsync",
    "fromAnthropicMessages",
  ],
});
