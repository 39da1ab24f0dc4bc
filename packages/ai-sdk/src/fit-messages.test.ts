import { fitToWindow } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { generateText } from "ai";
import { describe, expect, it } from "vitest";

import { strictModel } from "../test-support/strict-model.ts";
import { fromModelMessages, toModelMessages } from "./index.ts";

describe("the ten lines of the README", () => {
  it("fit messages: a turn goes whole, the question stays, and generateText takes what is left", async () => {
    const conversation = [
      { role: "user" as const, content: "Which flights go to Rome?" },
      { role: "assistant" as const, content: "Two, at nine and at noon. ".repeat(20) },
      { role: "user" as const, content: "Take the first." },
    ];
    const counter = gptTokenizerCounter({ encoding: "o200k_base" });
    const window = { contextTokens: 200, outputReserveTokens: 150 };
    const { entries } = fitToWindow(fromModelMessages(conversation), { window, counter });
    const messages = toModelMessages(entries);

    expect(messages).toEqual([conversation[2]]);
    expect((await generateText({ model: strictModel(), messages })).text).toBe("Done.");
  });
});
