import type { HistoryEntry } from "@agent-history/core";
import { describeStrangeInput } from "@agent-history/testkit/format";
import { expect, it } from "vitest";

import { chatPage } from "../test-chats/pages/chat-page.ts";
import { responsePage } from "../test-responses/pages/response-page.ts";
import * as openai from "./index.ts";

const chat = chatPage.slice(0, 6);
const items = responsePage.slice(0, 12);
const entries: readonly HistoryEntry[] = [
  ...openai.fromChatMessages(chat as never),
  ...openai.fromResponseItems(items),
];
// These take tools: neither entries nor messages.
const {
  toToolDefinitions: _,
  toChatTools: _chat,
  toResponseTools: _items,
  ...translators
} = openai;

describeStrangeInput("@agent-history/openai, messages and items", translators, {
  samples: [...chat, ...items],
  readers: {
    chatLog: (messages) => {
      const log = openai.chatLog();
      log.append(messages as never);
      return log.toMessages(log.entries);
    },
    fromChatMessages: (messages) => openai.fromChatMessages(messages as never),
    fromResponseItems: (all) => openai.fromResponseItems(all as never),
    responseLog: (all) => openai.responseLog().append(all as never),
  },
  others: ["sinceCompaction", "toChatMessages", "toResponseItems"],
});

describeStrangeInput("@agent-history/openai, entries", translators, {
  samples: entries,
  readers: {
    chatLog: (all) => openai.chatLog().toMessages(all),
    sinceCompaction: (all) => openai.sinceCompaction(all),
    toChatMessages: (all) => openai.toChatMessages(all, { agentId: "a" }),
    toResponseItems: (all) => openai.toResponseItems(all, { agentId: "a" }),
  },
  others: ["fromChatMessages", "fromResponseItems", "responseLog"],
});

it("an answer whose list of parts has holes is read as JSON has it", () => {
  const parts = Array(1);

  expect(openai.fromChatMessages([{ role: "assistant", content: parts }])).toMatchObject([
    { type: "assistant_message", content: [{ type: "opaque", data: null }] },
  ]);
});
