import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { readAny } from "../test-messages/read-any.ts";
import { toAnthropicRequest } from "./index.ts";

const counter: TokenCounter = {
  id: "words",
  countText: (text) => text.split(" ").length,
  countEntry: (entry) => JSON.stringify(entry.content ?? "").split(" ").length,
  countRequest: () => 0,
};
const mark = { type: "ephemeral" };
const tools = [
  { name: "find", input_schema: { type: "object" }, cache_control: mark },
  { name: "book", input_schema: { type: "object" } },
  { name: "later", input_schema: { type: "object" }, defer_loading: true },
];
const chat = (turns: number): readonly object[] =>
  Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Question ${turn}: where is city ${turn}, please?` },
    { role: "assistant", content: `City ${turn} is in the north, near river ${turn}.` },
  ]).flat();
const THINGS = ["kayak", "violin", "garden", "telescope", "bakery", "motorbike"];
const asks = { role: "user", content: "Where is city 3?" };

describe("cache", () => {
  it("places breakpoints behind tools and `system`, where the stable part ends, and at the end", () => {
    const first = fit([...chat(3), asks]);
    const second = fit([...chat(3), asks, ...chat(1), asks], first.plan);
    const {
      tools: marked,
      system,
      messages,
    } = toAnthropicRequest(second.entries, {
      tools,
      cache: { plan: second.plan },
    });

    expect(marked?.map((tool) => "cache_control" in tool)).toEqual([false, false, false]);
    expect(system).toEqual([{ type: "text", text: "Be brief.", cache_control: mark }]);
    expect(messages.flatMap((message, index) => (isMarked(message) ? [index] : []))).toEqual([
      6, 9,
    ]);
    expect(breakpointsIn({ marked, system, messages })).toBe(3);
    const { tools: alone } = toAnthropicRequest([], { tools, cache: {} });
    expect(alone?.map((tool) => "cache_control" in tool)).toEqual([false, true, false]);
  });

  it("puts the stable part's breakpoint on the part before a recall block, which stands before the question", () => {
    const exact = tiktokenCounter({ encoding: "o200k_base" });
    const options = { window: { contextTokens: 600 }, counter: exact, scorer: lexicalScorer() };
    const came: object[] = [];
    let previousPlan: ReductionPlan | undefined;
    let quoted = 0;
    for (let turn = 0; turn < 24; turn += 1) {
      const thing = THINGS[turn % THINGS.length];
      const text = turn < THINGS.length ? `Ann has a ${thing}.` : `Who has a ${thing}?`;
      came.push({ role: "user", content: text });
      const { entries, plan } = fitToWindow(readAny(came), { ...options, previousPlan });
      const { messages } = toAnthropicRequest(entries, { cache: { plan } });
      came.push({
        role: "assistant",
        content: `Answer ${turn}. ${"More words on it. ".repeat(9)}`,
      });
      previousPlan = plan;

      expect(breakpointsIn(messages)).toBeLessThanOrEqual(3);
      const question = entries.at(-1)?.id;
      if (messages.length < 2 || plan.recalls?.at(-1)?.before !== question) continue;
      quoted += 1;
      expect(messages.at(-1)).toEqual({
        role: "user",
        content: [
          { type: "text", text: expect.stringContaining("user: ") },
          { type: "text", text, cache_control: mark },
        ],
      });
      expect(isMarked(messages.at(-2))).toBe(true);
    }
    expect(quoted).toBeGreaterThan(3);
  });

  it("is the same prompt, but for the breakpoints", () => {
    const messages = [...chat(2), asks];
    const { entries, plan } = fit(messages);
    const bare = toAnthropicRequest(entries, { cache: { plan } });

    const text = JSON.stringify(bare).replaceAll(/,"cache_control":\{"type":"ephemeral"\}/gu, "");
    expect(JSON.parse(text)).toEqual({
      system: [{ type: "text", text: "Be brief." }],
      messages: messages.map((message, index) => (index < 4 ? message : asBlocks(message))),
    });
  });

  it("replaces breakpoints that came with messages, also in results", () => {
    const text = { type: "text", text: "Two.", cache_control: mark };
    const result = { type: "tool_result", tool_use_id: "c", content: [text], cache_control: mark };
    const messages = [
      { role: "user", content: [text, text] },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "find", input: {} }] },
      { role: "user", content: [result] },
    ];
    const request = toAnthropicRequest(readAny(messages), { cache: {} });

    expect(breakpointsIn(request)).toBe(1);
    expect(request.messages.at(-1)).toMatchObject({ content: [{ cache_control: mark }] });
    // One stands in the result, where the API takes none.
    expect(breakpointsIn(toAnthropicRequest(readAny(messages)))).toBe(3);
  });

  it("puts none on a block that may carry none", () => {
    const fallback = { type: "fallback", from: { model: "a" }, to: { model: "b" } };
    const messages = [
      asks,
      { role: "assistant", content: [{ type: "text", text: "Two." }, fallback] },
    ];
    const { messages: marked } = toAnthropicRequest(readAny(messages), {
      cache: {},
      prefill: true,
    });

    expect(marked.at(-1)).toMatchObject({
      content: [{ text: "Two.", cache_control: mark }, fallback],
    });
  });

  it("has the lifetimes that are asked for, longer ones first", () => {
    const entries = readAny([asks], { system: "Be brief." });
    const { system, messages } = toAnthropicRequest(entries, { cache: { prefixTtl: "1h" } });
    expect(system).toMatchObject([{ cache_control: { type: "ephemeral", ttl: "1h" } }]);
    expect(messages).toMatchObject([{ content: [{ cache_control: mark }] }]);
    expect(toAnthropicRequest(entries, { cache: { ttl: "1h" } })).toMatchObject({
      system: [{ cache_control: { ttl: "1h" } }],
      messages: [{ content: [{ cache_control: { ttl: "1h" } }] }],
    });
    const refused = [{ ttl: "1h", prefixTtl: "5m" }, { ttl: "2h" }, { prefixTtl: "1d" }];
    for (const cache of refused) {
      expect(() => toAnthropicRequest(entries, { cache: cache as never })).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION", details: { option: "cache" } }),
      );
    }
  });
});

function fit(
  messages: readonly object[],
  previousPlan?: ReductionPlan,
): { readonly entries: readonly HistoryEntry[]; readonly plan: ReductionPlan } {
  return fitToWindow(readAny(messages, { system: "Be brief." }), {
    window: { contextTokens: 200 },
    counter,
    previousPlan,
  });
}

function isMarked(message: unknown): boolean {
  return breakpointsIn(message) > 0;
}

function breakpointsIn(value: unknown): number {
  return (JSON.stringify(value).match(/"cache_control"/gu) ?? []).length;
}

function asBlocks(message: object): object {
  return "content" in message
    ? { ...message, content: [{ type: "text", text: message.content }] }
    : message;
}
