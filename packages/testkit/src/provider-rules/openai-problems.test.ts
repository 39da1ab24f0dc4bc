import { describe, expect, it } from "vitest";

import { openaiChatProblems, openaiResponsesProblems } from "./index.ts";

const system = { role: "system", content: "Be brief." };
const question = { role: "user", content: "Which flights?" };
const calling = (...ids: readonly string[]): object => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: "look", arguments: "{}" },
  })),
});
const result = (tool_call_id: string): object => ({ role: "tool", tool_call_id, content: "" });
const answer = { role: "assistant", content: "Two." };

describe("openaiChatProblems", () => {
  it("accepts parallel calls answered in any order, an id used again, answers in a row and an empty result", () => {
    const round = [calling("a", "b"), result("b"), result("a")];
    expect(
      openaiChatProblems([system, question, ...round, ...round, answer, answer, question]),
    ).toEqual([]);
    expect(openaiChatProblems([answer])).toEqual([]);
  });

  it.each([
    ["no-message", []],
    ["unknown-role", [{ role: "human", content: "" }]],
    ["empty-content", [{ role: "user", content: [] }]],
    ["empty-content", [{ role: "assistant", content: null }]],
    ["empty-calls", [{ role: "assistant", content: "", tool_calls: [] }]],
    ["missing-call-id", [calling(""), result("")]],
    ["duplicate-call-id", [calling("a", "a"), result("a"), result("a")]],
    ["unanswered-call", [calling("a", "b"), result("a"), question]],
    ["unanswered-call", [question, calling("a")]],
    ["orphan-result", [question, result("a")]],
    ["orphan-result", [calling("a"), result("a"), result("a")]],
  ])("refuses %s", (rule, messages: readonly object[]) => {
    expect(openaiChatProblems(messages).map((problem) => problem.rule)).toEqual([rule]);
  });

  it("tells where: an unanswered call at its message", () => {
    expect(openaiChatProblems([question, calling("a"), question])).toEqual([
      { rule: "unanswered-call", index: 1 },
    ]);
  });
});

const asked = { role: "user", content: [{ type: "input_text", text: "Which flights?" }] };
const said = { type: "message", role: "assistant", content: "Two." };
const call = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "" };
const reasoning = { type: "reasoning", id: "r", summary: [] };

describe("openaiResponsesProblems", () => {
  it("accepts reasoning with its call, an output that comes later, an id used again, and what OpenAI ran itself", () => {
    const search = { type: "web_search_call", id: "w", status: "completed" };
    expect(
      openaiResponsesProblems([asked, reasoning, call, said, output, search, call, output, said]),
    ).toEqual([]);
  });

  it.each([
    ["no-message", []],
    ["empty-content", [{ role: "user", content: [] }]],
    ["orphan-result", [asked, output]],
    ["unanswered-call", [asked, call, said]],
    ["duplicate-call-id", [asked, call, call, output]],
    ["reasoning-alone", [asked, reasoning, asked]],
    ["reasoning-alone", [asked, reasoning]],
  ])("refuses %s", (rule, items: readonly object[]) => {
    expect(openaiResponsesProblems(items).map((problem) => problem.rule)).toEqual([rule]);
  });
});
