import { describe, expect, it } from "vitest";

import { bareComparison } from "../systems/bare-comparison.ts";
import { brokenKept, keptAll, keptTable } from "./kept.ts";

describe("keptAll", () => {
  it("measures a chat, and one with long results, beside a comparison", async () => {
    const figures = await keptAll(60, 2);
    const { head, rows } = keptTable(figures);

    expect(rows.map((row) => row.length)).toEqual([head.length, head.length]);
    const [first] = figures;
    const own = { minMs: 5, medianMs: 5, meanMs: 5, load: 0, isUnsteady: false };
    const slow = { conversation: "a chat", messages: 60, mostTimes: 2, own };
    expect(brokenKept([{ ...slow, bare: { ...own, minMs: 2 } }])).toEqual([
      "One more turn of a chat, kept, takes 2.5 times a comparison, expected at most 2.",
    ]);
    expect(brokenKept([{ ...slow, bare: own }])).toEqual([]);
    expect(first?.messages).toBe(60);
  });
});

describe("bareComparison", () => {
  it("notices a change of any field, in place", () => {
    const call = { id: "c", function: { name: "find" } };
    const messages = [{ role: "user", content: "Hi." }, { tool_calls: [call] }];
    const compare = bareComparison(messages);

    expect(compare()).toBe(true);
    call.function.name = "search";
    expect(compare()).toBe(false);
  });
});
