import { describe, expect, it } from "vitest";

import { mistralProblems } from "./index.ts";

const system = { role: "system", content: "Be brief." };
const asks = { role: "user", content: "Which flights?" };
const calls = { role: "assistant", content: "", tool_calls: [{ id: "a" }, { id: "b" }] };
const brings = { role: "tool", content: "" };
const says = { role: "assistant", content: "Two." };

describe("mistralProblems", () => {
  it("accepts a question, calls with their results, an answer and a question", () => {
    expect(rulesOf([system, asks, calls, brings, brings, says, asks])).toEqual([]);
    expect(rulesOf([asks, calls, brings, brings])).toEqual([]);
  });

  it.each([
    ["no-message", []],
    ["unknown-role", [{ role: "developer", content: "" }, asks]],
    ["not-alternating", [asks, asks]],
    ["not-alternating", [system, says, says, asks]],
    ["wrong-order", [asks, calls, brings, brings, asks]],
    ["wrong-order", [asks, brings]],
    ["last-not-user", [asks, says]],
    ["unanswered-call", [asks, calls, brings, says, asks]],
    ["unanswered-call", [asks, calls, brings]],
    ["orphan-result", [asks, calls, brings, brings, brings]],
    ["empty-content", [asks, { role: "assistant", content: " " }, asks]],
  ])("refuses %s", (rule, messages: readonly object[]) => {
    expect(rulesOf(messages)).toContain(rule);
  });
});

function rulesOf(messages: readonly object[]): readonly string[] {
  return mistralProblems(messages).map(({ rule }) => rule);
}
