import type { HistoryEntry } from "@agent-history/core";
import { describeStrangeInput } from "@agent-history/testkit/format";
import { expect, it } from "vitest";

import { chatPage } from "../test-messages/chat/pages/chat-page.ts";
import { responsePage } from "../test-messages/responses/pages/response-page.ts";
import * as openai from "./index.ts";

const chat = chatPage.slice(0, 6);
const items = responsePage.slice(0, 12);
const entries: readonly HistoryEntry[] = [
  ...openai.fromChatMessages(chat as never),
  ...openai.fromResponseItems(items),
];
// These take tools and options: neither entries nor messages; a continuation takes what a fit wrote.
const {
  toToolDefinitions: _,
  chatRules: _ofChat,
  chatTarget: _forChat,
  responseRules: _ofItems,
  responseTarget: _forItems,
  droppedReasoning: _answer,
  countRequest: _count,
  continuation: _next,
  sendContinuation: _send,
  ...translators
} = openai;

describeStrangeInput("@agent-history/openai, messages and items", translators, {
  samples: [...chat, ...items],
  readers: {
    checkChatMessages: (messages) => openai.checkChatMessages(messages as never),
    checkResponseItems: (all) => openai.checkResponseItems(all as never),
    fromChatMessages: (messages) => openai.fromChatMessages(messages as never),
    fromResponseItems: (all) => openai.fromResponseItems(all as never),
  },
  others: ["sinceCompaction", "toChatMessages", "toResponseItems"],
});

describeStrangeInput("@agent-history/openai, entries", translators, {
  samples: entries,
  readers: {
    sinceCompaction: (all) => openai.sinceCompaction(all),
    toChatMessages: (all) => openai.toChatMessages(all, { agentId: "a" }),
    toResponseItems: (all) => openai.toResponseItems(all, { agentId: "a" }),
  },
  others: ["checkChatMessages", "checkResponseItems", "fromChatMessages", "fromResponseItems"],
});

it("an answer whose list of parts has holes is read as JSON has it", () => {
  const parts = Array(1);

  expect(openai.fromChatMessages([{ role: "assistant", content: parts }])).toMatchObject([
    { type: "assistant_message", content: [{ type: "opaque", data: null }] },
  ]);
});
