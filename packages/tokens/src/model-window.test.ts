import { HistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { knownModels } from "./internal/known-models.ts";
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
    ["gpt-6.2-astra", 1_050_000, 128_000],
    ["azure/gpt-35-turbo", 16_385, 4096],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", 200_000, 64_000],
    ["eu.anthropic.claude-opus-4-6-v1", 1_000_000, 128_000],
    [
      "arn:aws:bedrock:us-east-1:1234:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0",
      200_000,
      64_000,
    ],
    ["openai.gpt-oss-120b-1:0", 131_072, 32_768],
    ["meta.llama3-3-70b-instruct-v1:0", 128_000, 4096],
    ["claude-sonnet-4-5@20250929", 200_000, 64_000],
    ["claude-sonnet-4-5[1m]", 1_000_000, 64_000],
    ["publishers/google/models/gemini-2.5-flash-001", 1_048_576, 65_536],
    ["~anthropic/claude-opus-latest", 1_000_000, 128_000],
    ["deepseek-chat", 1_000_000, 384_000],
    ["deepseek/deepseek-v3.2", 128_000, 40_960],
    ["qwen/qwen3-coder:free", 262_144, 65_536],
    ["Qwen/Qwen3-32B-AWQ", 32_768, 16_384],
    ["x-ai/grok-4.7", 500_000, 500_000],
    ["mistral-large-latest", 262_144, 262_144],
    ["moonshotai/Kimi-K2-Thinking", 262_144, 65_536],
    ["zai-org/GLM-4.6", 202_752, 50_688],
    ["meta-llama/Llama-3.3-70B-Instruct-Turbo", 128_000, 4096],
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

  it("takes the smallest window that a gateway serves, for a name with a vendor", () => {
    expect(modelWindow("qwen3.8-max").contextTokens).toBe(1_000_000);
    expect(modelWindow("qwen/qwen3.8-max").contextTokens).toBe(262_144);
    expect(modelWindow("qwen3.8-max:batch").contextTokens).toBe(262_144);
  });

  it.each([
    ["claude-sonet-5-5", "claude-sonnet-5-5"],
    ["gpt4o", "gpt-4o"],
    ["gemini-2.5-flsh", "gemini-2.5-flash"],
    ["deepseek-v4-por", "deepseek-v4-pro"],
  ])("asks for %s whether another model was meant", (model, meant) => {
    expect(errorOf(() => modelWindow(model)).message).toContain(`Did you mean ${meant}`);
  });

  it.each([
    "llama-local",
    "",
    "gpt",
    "gpt-4o-unheard-of",
    "llama3.3:70b",
    "my-deployment",
    "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3",
    "__proto__",
    "constructor",
    undefined,
  ])("refuses %j and says how to pass the numbers", (model) => {
    const error = errorOf(() => modelWindow(model as string));

    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain("contextTokens, maxOutputTokens");
  });

  it.each([
    { outputReserveTokens: -1 },
    { marginTokens: NaN },
    { models: { "gpt-4o": { contextTokens: -5, maxOutputTokens: 1 } } },
    { models: { "gpt-4o": { contextTokens: 5 } } },
  ])("refuses %j", (options) => {
    expect(errorOf(() => modelWindow("gpt-4o", options as object)).code).toBe("INVALID_OPTION");
  });

  it("has no model whose answer is longer than its window", () => {
    const odd = [...knownModels].filter(
      ([, { contextTokens, maxOutputTokens }]) =>
        !Number.isInteger(contextTokens) ||
        !Number.isInteger(maxOutputTokens) ||
        maxOutputTokens > contextTokens,
    );

    expect(odd).toEqual([]);
    expect(knownModels.size).toBeGreaterThan(50);
  });

  it("knows what a cloud takes in one request, where the name says it", () => {
    const bytes = (model: string) => modelWindow(model).maxBytes;

    expect(bytes("claude-sonnet-4-5")).toBe(32_000_000);
    expect(bytes("anthropic/claude-sonnet-4.5")).toBe(32_000_000);
    expect(bytes("eu.anthropic.claude-opus-4-6-v1")).toBe(20_000_000);
    expect(bytes("claude-sonnet-4-5@20250929")).toBe(30_000_000);
    expect(modelWindow("azure/gpt-4o").maxImages).toBe(50);
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
