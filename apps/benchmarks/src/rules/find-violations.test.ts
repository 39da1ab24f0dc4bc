import { describe, expect, it } from "vitest";

import { messageCounter } from "../messages/chat-message.ts";
import type { ChatMessage } from "../messages/chat-message.ts";
import { findViolations, numbered, protectedPartFits } from "./find-violations.ts";

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } } as const;
const system: ChatMessage = { role: "system", content: "Be brief." };
const first: ChatMessage = { role: "user", content: "#1 Which flights go to Rome?" };
const calling: ChatMessage = { role: "assistant", content: null, tool_calls: [call] };
const result: ChatMessage = { role: "tool", tool_call_id: "c1", content: "Two: at nine, at noon." };
const answer: ChatMessage = {
  role: "assistant",
  content: "#4 There are two, at nine and at noon.",
};
const second: ChatMessage = { role: "user", content: "#5 Take the first." };
const conversation = [system, first, calling, result, answer, second];

describe("numbered", () => {
  it("numbers questions and answers", () => {
    const bare = conversation.map((message) => ({
      ...message,
      content: message.content && message.content.replace(/^#\d /, ""),
    }));

    expect(numbered(bare as readonly ChatMessage[])).toEqual(conversation);
  });
});

describe("findViolations", () => {
  it.each([
    [conversation],
    [[system, first, answer, second]],
    [[system, second]],
    [[system, first, { role: "assistant", content: "#4 There are […] at noon." }, second]],
  ] as const)(
    "finds nothing wrong with the conversation and with a sound part of it",
    (request) => {
      expect(violations(request)).toEqual([]);
    },
  );

  it.each([
    ["orphanResult", [system, result, second]],
    ["unansweredCall", [system, calling, second]],
    ["unansweredCall", [system, second, calling]],
    ["lostQuestion", [system, first]],
    ["lostSystem", [second]],
    ["reordered", [system, second, first]],
    ["beginsWithAssistant", [system, answer, second]],
    ["answerWithoutQuestion", [system, answer, second]],
    ["questionWithoutAnswer", [system, first, second]],
    ["newestLost", [system, first, answer]],
    ["empty", [system]],
  ] as const)("finds %s", (kind, request) => {
    expect(violations(request)).toContain(kind);
  });

  it("knows a cleared result by its call", () => {
    const cleared: ChatMessage = { role: "tool", tool_call_id: "c1", content: "[cleared]" };
    const facts = { conversation: conversation.slice(0, 4), windowTokens: 1000 };
    const running = (request: readonly ChatMessage[]): readonly string[] =>
      findViolations(request, { ...facts, counter: messageCounter() });

    expect(running([system, first, calling, cleared])).toEqual([]);
    expect(running([system, first])).toEqual(["newestLost"]);
  });

  it("finds a request above the window by one token, and one that is none", () => {
    const tokens = messageCounter().countRequest(conversation);
    expect(violations(conversation, tokens)).toEqual([]);
    expect(violations(conversation, tokens - 1)).toEqual(["over"]);
    const nothing: readonly unknown[] = [undefined];
    expect(violations(nothing as readonly ChatMessage[])).toEqual(["notMessages"]);
  });
});

describe("protectedPartFits", () => {
  it("needs room for the system messages, the question and the results that were just given", () => {
    const counter = messageCounter();
    const least = counter.countRequest([system, second]);
    const running = [system, second, calling, result];
    const more = counter.countRequest(running);

    expect(protectedPartFits({ conversation, windowTokens: least, counter })).toBe(true);
    expect(protectedPartFits({ conversation, windowTokens: least - 1, counter })).toBe(false);
    const facts = { conversation: running, counter };
    expect(protectedPartFits({ ...facts, windowTokens: more })).toBe(true);
    expect(protectedPartFits({ ...facts, windowTokens: more - 1 })).toBe(false);
  });
});

function violations(request: readonly ChatMessage[], windowTokens = 1000): readonly string[] {
  const counter = messageCounter();
  return findViolations(request, { conversation, windowTokens, counter });
}
