import { describe, expect, it } from "vitest";

import { NO_USAGE } from "./model-call.ts";
import { LIST_PRICES, priceOf, usageCost } from "./prices.ts";

describe("priceOf", () => {
  it("finds the longest name that a model's name begins with, and no part of a word", () => {
    const models = LIST_PRICES.models;
    expect(priceOf("claude-opus-4-5-20251101")).toBe(models["claude-opus-4-5"]);
    expect(priceOf("claude-opus-4-20250514")).toBe(models["claude-opus-4"]);
    expect(priceOf("anthropic/claude-opus-4.8")).toBe(models["claude-opus-4-8"]);
    expect(priceOf("gpt-5.4-mini")).toBe(models["gpt-5.4-mini"]);
    expect(priceOf("gpt-5.3-codex-spark")).toBe(models["gpt-5.3-codex-spark"]);
    for (const name of ["gpt-5.9", "gpt-50", "claude-opus-9", "__proto__", ""]) {
      expect(priceOf(name)).toBeUndefined();
    }
  });
});

describe("usageCost", () => {
  it("charges each kind of token its own price", () => {
    const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2, cacheWrite1h: 4 };
    const million = 1_000_000;
    const cost = (usage: object) => usageCost({ ...NO_USAGE, ...usage }, price);
    expect(cost({ inputTokens: million, outputTokens: million })).toBe(11);
    expect(cost({ cacheReadTokens: million })).toBe(0.1);
    expect(cost({ cacheWriteTokens: 2 * million, cacheWrite1hTokens: million })).toBe(6);
  });
});
