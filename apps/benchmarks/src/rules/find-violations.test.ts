import { describe, expect, it } from "vitest";

import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import { findViolations, protectedPartFits } from "./find-violations.ts";

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } } as const;
const system: ChatMessage = { role: "system", content: "Be brief." };
const first: ChatMessage = { role: "user", content: "First?" };
const calling: ChatMessage = { role: "assistant", content: null, tool_calls: [call] };
const result: ChatMessage = { role: "tool", tool_call_id: "c1", content: "Seen." };
const second: ChatMessage = { role: "user", content: "Second?" };
const conversation = [system, first, calling, result, second];

describe("findViolations", () => {
  it("finds nothing wrong with the conversation itself, and with a sound part of it", () => {
    expect(violations(conversation)).toEqual([]);
    expect(violations([system, second])).toEqual([]);
  });

  it.each([
    ["orphanResult", [system, result, second]],
    ["unansweredCall", [system, calling, second]],
    ["unansweredCall", [system, second, calling]],
    ["lostQuestion", [system, first]],
    ["lostSystem", [second]],
    ["reordered", [system, second, first]],
  ] as const)("finds %s", (kind, request) => {
    expect(violations(request)).toContain(kind);
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
