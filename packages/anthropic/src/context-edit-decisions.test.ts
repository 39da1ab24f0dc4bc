import { describe, expect, it } from "vitest";

import { contextEditDecisions, fromAnthropicMessages } from "./index.ts";

const call = (id: string, name: string): readonly { role: string; content: unknown }[] => [
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "tool_use", id, name, input: {} },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Found." }] },
];
const messages = [
  { role: "user", content: "Look." },
  ...call("a", "find"),
  ...call("b", "memory"),
  ...call("c", "find"),
];
const entries = fromAnthropicMessages(messages);
const tools = { type: "clear_tool_uses_20250919", cleared_tool_uses: 2, cleared_input_tokens: 11 };
const thinking = {
  type: "clear_thinking_20251015",
  cleared_thinking_turns: 1,
  cleared_input_tokens: 4,
};

describe("contextEditDecisions", () => {
  it("names the oldest results and thinking, with the tokens that were cleared", () => {
    const answer = { context_management: { applied_edits: [tools, thinking] } };
    const decisions = contextEditDecisions(answer, entries);

    expect(decisions.map(({ from, tokensBefore }) => [from, tokensBefore])).toEqual([
      [entries[2]?.id, 6],
      [entries[4]?.id, 5],
      [entries[1]?.id, 4],
    ]);
    expect(decisions[0]).toEqual({
      from: entries[2]?.id,
      to: entries[2]?.id,
      entryCount: 1,
      action: { kind: "edit", edit: { clear: true } },
      step: "clear_tool_uses_20250919",
      reason: "result cleared by Anthropic",
      tokensBefore: 6,
      tokensAfter: 0,
      estimated: true,
    });
    expect(decisions[2]).toMatchObject({
      action: { kind: "keep" },
      reason: "thinking cleared by Anthropic",
    });
  });

  it("leaves out results of tools that the request excludes", () => {
    const answer = { context_management: { applied_edits: [tools] } };
    const decisions = contextEditDecisions(answer, entries, { excludeTools: ["memory"] });

    expect(decisions.map(({ from }) => from)).toEqual([entries[2]?.id, entries[6]?.id]);
  });

  it.each([
    [{}],
    [{ context_management: null }],
    [{ context_management: { applied_edits: [null, 5, { type: "tomorrow_20300101" }] } }],
    [{ context_management: { applied_edits: [{ ...tools, cleared_tool_uses: -1 }] } }],
  ])("finds nothing in %j", (answer) => {
    expect(contextEditDecisions(answer, entries)).toEqual([]);
  });
});
