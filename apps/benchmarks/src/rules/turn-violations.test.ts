import { describe, expect, it } from "vitest";

import type { ChatMessage } from "../messages/chat-message.ts";
import { turnViolations } from "./turn-violations.ts";

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } } as const;
const system: ChatMessage = { role: "system", content: "Be brief." };
const first: ChatMessage = { role: "user", content: "Which flights go to Rome on Monday?" };
const calling: ChatMessage = { role: "assistant", content: null, tool_calls: [call] };
const result: ChatMessage = { role: "tool", tool_call_id: "c1", content: "Two: at nine, at noon." };
const answer: ChatMessage = { role: "assistant", content: "There are two, at nine and at noon." };
const second: ChatMessage = { role: "user", content: "Take the first." };
const conversation = [system, first, calling, result, answer, second];

describe("turnViolations", () => {
  it("finds nothing wrong with the conversation, with question and answer without the calls, and with the question alone", () => {
    for (const request of [conversation, [system, first, answer, second], [system, second]]) {
      expect(turnViolations(request, conversation)).toEqual([]);
    }
  });

  it.each([
    ["beginsWithAssistant", [system, answer, second]],
    ["answerWithoutQuestion", [system, answer, second]],
    ["questionWithoutAnswer", [system, first, second]],
    ["newestLost", [system, first, answer]],
    ["empty", [system]],
  ] as const)("finds %s", (kind, request) => {
    expect(turnViolations(request, conversation)).toContain(kind);
  });

  it("knows what was shortened by its head and tail, and a cleared result by its call", () => {
    const short: ChatMessage = { role: "assistant", content: "There are […] at noon." };
    const cleared: ChatMessage = { role: "tool", tool_call_id: "c1", content: "[cleared]" };
    expect(turnViolations([system, first, short, second], conversation)).toEqual([]);
    expect(turnViolations([system, calling, cleared], conversation.slice(0, 4))).toEqual([
      "beginsWithAssistant",
    ]);
  });

  it("takes a text that occurs twice for the later one", () => {
    const yes: ChatMessage = { role: "user", content: "Yes." };
    const ok: ChatMessage = { role: "assistant", content: "Done." };
    expect(turnViolations([yes, ok, second], [yes, ok, yes, ok, second])).toEqual([]);
  });
});
