import { fitToWindow, maskOldResults } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { generateText } from "ai";
import type { ModelMessage } from "ai";
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
    const counter = tiktokenCounter({ encoding: "o200k_base" });
    const window = { contextTokens: 180, outputReserveTokens: 150 };
    const { entries } = fitToWindow(fromModelMessages(conversation), { window, counter });
    const messages = toModelMessages(entries);

    expect(messages).toEqual([conversation[2]]);
    expect((await generateText({ model: strictModel(), messages })).text).toBe("Done.");
  });
});

describe("masked results and arguments of model messages", () => {
  it("come out as the line and as an input, in their places", () => {
    const read = (toolCallId: string): readonly ModelMessage[] => {
      const input = { path: `${toolCallId}.ts`, old: "y".repeat(400) };
      const output = { type: "text" as const, value: "word ".repeat(300) };
      return [
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId, toolName: "read", input }],
        },
        { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "read", output }] },
      ];
    };
    const messages: readonly ModelMessage[] = [
      { role: "user", content: "Go." },
      ...["c1", "c2"].flatMap(read),
    ];
    const counter = tiktokenCounter({ encoding: "o200k_base" });
    const { entries } = fitToWindow(fromModelMessages(messages), {
      window: { contextTokens: 520 },
      counter,
      steps: [maskOldResults({ keep: 1, maskArguments: true })],
      maxResultShare: 1,
    });
    const [, call, result, ...rest] = toModelMessages(entries);
    expect(call).toMatchObject({
      content: [{ toolCallId: "c1", input: { cleared: "425 characters" } }],
    });
    const value =
      '[masked: result of read c1.ts, 1500 characters; history_read {"id":"c1"} shows it]';
    expect(result).toMatchObject({
      content: [{ toolCallId: "c1", output: { type: "text", value } }],
    });
    expect(rest).toEqual(messages.slice(3));
  });
});
