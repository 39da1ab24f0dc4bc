import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fromChatMessages, toChatMessages, toToolDefinitions } from "./index.ts";

describe("the ten lines of the README", () => {
  it("fit a chat history with its tools: a long answer goes with its question, the newest question stays", () => {
    const chat = [
      { role: "system", content: "You book flights." },
      { role: "user", content: "Which flights go to Rome?" },
      { role: "assistant", content: "Two, at nine and at noon. ".repeat(20) },
      { role: "user", content: "Take the first." },
    ];
    const parameters = { type: "object", properties: { flight: { type: "string" } } };
    const book = { type: "function", function: { name: "book", parameters } };
    const tools = toToolDefinitions([book]);
    const counter = tiktokenCounter({ model: "gpt-4o" });
    const window = { contextTokens: 250, outputReserveTokens: 150 };
    const { entries, plan } = fitToWindow(fromChatMessages(chat), { window, counter, tools });
    const messages = toChatMessages(entries);

    expect(messages).toEqual([chat[0], chat[3]]);
    expect(plan.totalTokens).toBe(49);
  });
});
