import { describe, expect, it } from "vitest";

import { modelWindow } from "./model-window.ts";
import { reasoningRule } from "./reasoning-rule.ts";

describe("reasoningRule", () => {
  it.each([
    ["claude-opus-5-5", "refuse"],
    ["claude-opus-5-5-20260901", "refuse"],
    ["anthropic/claude-fable-5.1", "refuse"],
    ["eu.anthropic.claude-haiku-5-5-v1:0", "refuse"],
    ["sonnet", "refuse"],
    ["claude-opus-6", "refuse"],
    ["claude-neptune", "refuse"],
    ["claude-opus-5", undefined],
    ["claude-fable-5", undefined],
    ["claude-sonnet-4-20250514", undefined],
    ["claude-3-5-sonnet-20241022", undefined],
    ["gpt-6-astra", "drop"],
    ["openai/gpt-6.2-astra", "drop"],
    ["gpt-neptune", "drop"],
    ["gpt-5.6-sol", undefined],
    ["gpt-4o-2024-08-06", undefined],
    ["gpt-35-turbo", undefined],
    ["gpt-oss-120b", undefined],
    ["gemini-3.8-flash", undefined],
    ["deepseek-v4-pro", undefined],
  ])("tells by name and version whether %s binds its reasoning", (model, binds) => {
    expect(reasoningRule(model)?.binds).toBe(binds);
  });

  it("names one reader, whichever name the model goes by", () => {
    const names = ["claude-opus-5-5", "anthropic/claude-opus-5.5", "claude-opus-5-5-20260901"];
    expect(new Set(names.map((name) => reasoningRule(name)?.reader)).size).toBe(1);
    expect(modelWindow("claude-opus-5-5").reasoning).toEqual(reasoningRule("claude-opus-5-5"));
    expect(modelWindow("gpt-4o")).not.toHaveProperty("reasoning");
  });
});
