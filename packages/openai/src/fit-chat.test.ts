import { fitToWindow, maskOldResults } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fromChatMessages, toChatMessages, toToolDefinitions } from "./index.ts";
import type { ChatMessageLike } from "./index.ts";

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
    const window = { contextTokens: 220, outputReserveTokens: 150 };
    const { entries, plan } = fitToWindow(fromChatMessages(chat), { window, counter, tools });
    const messages = toChatMessages(entries);

    expect(messages).toEqual([chat[0], chat[3]]);
    expect(plan.totalTokens).toBe(49);
  });
});

describe("masked results and arguments of a chat", () => {
  it("come out as the line and as JSON, in their places", () => {
    const read = (id: string): readonly ChatMessageLike[] => {
      const given = {
        name: "read",
        arguments: JSON.stringify({ path: `${id}.ts`, old: "y".repeat(400) }),
      };
      const call = { id, type: "function", function: given };
      return [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: id, content: "word ".repeat(300) },
      ];
    };
    const chat = [{ role: "user", content: "Go." }, ...["c1", "c2"].flatMap(read)];
    const counter = tiktokenCounter({ model: "gpt-4o" });
    const steps = [maskOldResults({ keep: 1, maskArguments: true })];
    const { entries } = fitToWindow(fromChatMessages(chat), {
      window: { contextTokens: 520 },
      counter,
      steps,
      maxResultShare: 1,
    });
    const [, call, result, ...rest] = toChatMessages(entries);
    expect(call).toMatchObject({
      role: "assistant",
      tool_calls: [
        { id: "c1", function: { name: "read", arguments: '{"cleared":"425 characters"}' } },
      ],
    });
    expect(result).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: '[masked: result of read c1.ts, 1500 characters; history_read {"id":"c1"} shows it]',
    });
    expect(rest).toEqual(chat.slice(3));
  });
});
