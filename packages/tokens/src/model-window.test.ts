import { HistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { modelLimits } from "./internal/model-limits.ts";
import { modelWindow } from "./model-window.ts";

describe("modelWindow", () => {
  it.each([
    ["gpt-6-astra", 1_050_000, 128_000],
    ["gpt-5.4-mini", 400_000, 128_000],
    ["gpt-4.1", 1_047_576, 32_768],
    ["gpt-4o-2024-08-06", 128_000, 16_384],
    ["gpt-4o-2024-05-13", 128_000, 4096],
    ["openai/gpt-5", 400_000, 128_000],
    ["ft:gpt-4o:acme::7p4lURel", 128_000, 16_384],
    ["claude-opus-5-5", 1_000_000, 128_000],
    ["anthropic/claude-sonnet-5.5", 1_000_000, 128_000],
    ["claude-haiku-4-5-20251001", 200_000, 64_000],
    ["models/gemini-3.8-flash", 1_048_576, 65_536],
  ])("knows %s", (model, contextTokens, maxOutputTokens) => {
    expect(modelWindow(model)).toMatchObject({ contextTokens, maxOutputTokens });
  });

  it("keeps the longest answer free, but at most a quarter of the window", () => {
    expect(modelWindow("gpt-4o").outputReserveTokens).toBe(16_384);
    expect(modelWindow("gpt-4").outputReserveTokens).toBe(2048);
    expect(modelWindow("gpt-4", { outputReserveTokens: 0 }).outputReserveTokens).toBe(0);
    expect(modelWindow("gpt-4o").marginTokens).toBe(0);
    expect(modelWindow("gpt-4o", { marginTokens: 10 }).marginTokens).toBe(10);
  });

  it("takes limits of one's own before its table", () => {
    const models = { "gpt-4o": { contextTokens: 64_000, maxOutputTokens: 4000 } };

    expect(modelWindow("gpt-4o", { models }).contextTokens).toBe(64_000);
    expect(modelWindow("gpt-4", { models }).contextTokens).toBe(8192);
  });

  it.each(["llama-local", "", "gpt", "gpt-4o-unheard-of", "__proto__", "constructor", undefined])(
    "refuses %j and says how to pass the numbers",
    (model) => {
      const error = errorOf(() => modelWindow(model as string));

      expect(error.code).toBe("INVALID_OPTION");
      expect(error.message).toContain("contextTokens, maxOutputTokens");
    },
  );

  it.each([
    { outputReserveTokens: -1 },
    { marginTokens: NaN },
    { models: { "gpt-4o": { contextTokens: -5, maxOutputTokens: 1 } } },
    { models: { "gpt-4o": { contextTokens: 5 } } },
  ])("refuses %j", (options) => {
    expect(errorOf(() => modelWindow("gpt-4o", options as object)).code).toBe("INVALID_OPTION");
  });

  it("has no model whose answer is longer than its window", () => {
    const odd = [...modelLimits].filter(
      ([, { contextTokens, maxOutputTokens }]) =>
        !Number.isInteger(contextTokens) ||
        !Number.isInteger(maxOutputTokens) ||
        maxOutputTokens > contextTokens,
    );

    expect(odd).toEqual([]);
    expect(modelLimits.size).toBeGreaterThan(50);
  });
});

function errorOf(run: () => unknown): HistoryError {
  try {
    run();
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
  throw new Error("Expected an error.");
}
