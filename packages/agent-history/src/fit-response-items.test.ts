import { describe, expect, it } from "vitest";

import { fitResponseItems, fitResponseItemsAsync } from "./openai.ts";

const items = Array.from({ length: 30 }, (_, index) => [
  { role: "user", content: `Which flights go to town ${index}?` },
  { type: "function_call", call_id: `c${index}`, name: "find", arguments: `{"to":${index}}` },
  { type: "function_call_output", call_id: `c${index}`, output: "At nine. At noon. ".repeat(60) },
  { role: "assistant", content: "Two, at nine and at noon." },
]).flat();
const tools = [{ type: "function", name: "find", parameters: { type: "object" } }] as const;
const instructions = "You book flights. ".repeat(20);
const window = { contextTokens: 2000, outputReserveTokens: 200 };

describe("fitResponseItems", () => {
  it("trims items, and counts instructions and tools that the request sends itself", async () => {
    const options = { model: "gpt-5", window, tools, instructions };
    const { items: sent, plan } = fitResponseItems(items, options);

    expect(JSON.stringify(sent).length).toBeLessThan(JSON.stringify(items).length);
    expect(JSON.stringify(sent)).not.toContain("You book flights.");
    expect(plan.totalTokens).toBeLessThanOrEqual(1800);
    expect(await fitResponseItemsAsync(items, options)).toEqual({ items: sent, plan });
    const bare = fitResponseItems(items.slice(-4), { model: "gpt-5" });
    const whole = fitResponseItems(items.slice(-4), { model: "gpt-5", tools, instructions });
    expect(whole.plan.totalTokens).toBeGreaterThan(bare.plan.totalTokens + 80);
    expect(whole.items).toEqual(bare.items);
  });

  it("sends nothing again that stands before a compaction, but for system messages", async () => {
    const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAB" };
    const kept = [{ role: "developer", content: "Answer in one line." }, compaction];
    const asked = { role: "user", content: "Take the first." };
    const all = [kept[0] ?? asked, ...items.slice(0, 8), ...kept.slice(1), asked];
    const options = { model: "gpt-5", window, tools, instructions };

    const { items: sent, plan } = fitResponseItems(all, options);
    expect(sent).toEqual([...kept, asked]);
    expect(await fitResponseItemsAsync(all, options)).toEqual({ items: sent, plan });
    const { plan: previousPlan } = fitResponseItems(all.slice(0, 9), options);
    expect(fitResponseItems(all, { ...options, previousPlan }).items).toEqual(sent);
  });

  it("leaves out reasoning that the server cannot read if it stores nothing", () => {
    const thought = { type: "reasoning", id: "rs_1", summary: [] };
    const sealed = { ...thought, id: "rs_2", encrypted_content: "gAAA" };
    const asked = [
      { role: "user", content: "Which flights?" },
      thought,
      sealed,
      ...items.slice(3, 5),
    ];

    expect(fitResponseItems(asked, { model: "gpt-5" }).items).toContainEqual(thought);
    const { items: sent } = fitResponseItems(asked, { model: "gpt-5", store: false });
    expect(sent).not.toContainEqual(thought);
    expect(sent).toContainEqual(sealed);
  });

  it("continues the plan of the previous call", () => {
    const options = { model: "gpt-5", window, tools, instructions };
    const first = fitResponseItems(items.slice(0, 4), options);
    const more = [...items.slice(0, 4), { role: "user", content: "Take the first." }];

    const second = fitResponseItems(more, { ...options, previousPlan: first.plan });
    expect(second.plan.continued).toBeDefined();
    expect(second.items.slice(0, first.items.length)).toEqual(first.items);
  });
});
