import { createReducer } from "@agent-history/reducer";
import { describeStrangeInput } from "@agent-history/testkit/format";
import { tiktokenCounter } from "@agent-history/tokens";
import { expect, it } from "vitest";

import { modelPage } from "../test-support/pages/model-page.ts";
import * as aiSdk from "./index.ts";

const messages = modelPage.slice(0, 6);
const uiMessages = [
  {
    id: "u1",
    role: "user",
    metadata: { at: 1 },
    parts: [
      { type: "text", text: "Hello" },
      { type: "file", mediaType: "image/png", url: "https://a.example/p.png" },
    ],
  },
  {
    id: "a1",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Hm." },
      {
        type: "tool-read",
        toolCallId: "c1",
        state: "output-available",
        input: { path: "a" },
        output: "Text.",
      },
      { type: "text", text: "Read." },
    ],
  },
];
/** Tools and models are no messages. */
const {
  toToolDefinitions: _,
  toToolDefinitionsSync: _sync,
  toToolSet: _set,
  aiSdkSummaryModel: __,
  chatStore: _chats,
  countMiddleware: _counting,
  fitMiddleware: _fit,
  fitStep: _step,
  modelRules: _rules,
  droppedReasoning: _answer,
  modelTarget: _target,
  countRequest: _count,
  ...translators
} = aiSdk;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const reducer = createReducer({ counter });

describeStrangeInput("@agent-history/ai-sdk, model messages", translators, {
  samples: messages,
  readers: {
    fromModelMessages: (all) => aiSdk.fromModelMessages(all as never),
    fitPrompt: async (all) => {
      const fit = aiSdk.fitPrompt({ reducer, window: { contextTokens: 1_000_000_000 } });
      await fit({ prompt: all as never });
    },
  },
  others: ["fromUIMessages", "toModelMessages", "toUIMessages"],
});

describeStrangeInput("@agent-history/ai-sdk, UI messages", translators, {
  samples: uiMessages,
  readers: {
    fromUIMessages: (all) => aiSdk.fromUIMessages(all as never),
    toUIMessages: async (all) => aiSdk.toUIMessages(await aiSdk.fromUIMessages(all as never)),
  },
  others: ["fitPrompt", "fromModelMessages", "toModelMessages"],
});

describeStrangeInput("@agent-history/ai-sdk, entries", translators, {
  samples: aiSdk.fromModelMessages(messages as never),
  readers: {
    toModelMessages: (all) => aiSdk.toModelMessages(all, { agentId: "a" }),
    toUIMessages: (all) => aiSdk.toUIMessages(all),
  },
  others: ["fitPrompt", "fromModelMessages", "fromUIMessages"],
});

it("an answer whose list of parts has holes is read as JSON has it", () => {
  const message = { role: "assistant", content: Array(1) } as const;

  expect(aiSdk.fromModelMessages([message])).toMatchObject([
    { type: "assistant_message", content: [{ type: "opaque", data: null }] },
  ]);
});
