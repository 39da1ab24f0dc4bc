import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fromChatMessages, toChatMessages } from "./index.ts";

describe("the ten lines of the README", () => {
  it("fit a chat history: a long answer goes, the system message and the question stay", () => {
    const chat = [
      { role: "system", content: "You book flights." },
      { role: "user", content: "Which flights go to Rome?" },
      { role: "assistant", content: "Two, at nine and at noon. ".repeat(20) },
      { role: "user", content: "Take the first." },
    ];
    const counter = tiktokenCounter({ model: "gpt-4o" });
    const window = { contextTokens: 200, outputReserveTokens: 150 };
    const { entries, plan } = fitToWindow(fromChatMessages(chat), { window, counter });
    const messages = toChatMessages(entries);

    expect(messages).toEqual([chat[0], chat[1], chat[3]]);
    expect(plan.totalTokens).toBe(29);
  });
});
