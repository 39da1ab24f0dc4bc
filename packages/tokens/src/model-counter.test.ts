import { userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { estimatingCounter } from "./estimating-counter.ts";
import { knownModels } from "./internal/known-models.ts";
import { modelCounter } from "./model-counter.ts";
import { tiktokenCounter } from "./tiktoken-counter.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });
const text = "Naïve café — 漢字 and 12345 numbers.";

describe("modelCounter", () => {
  it.each(Array.from(knownModels.values(), ({ name }) => name))(
    "counts for %s, whose window is known",
    (model) => {
      expect(modelCounter(model).countText(text)).toBeGreaterThan(0);
    },
  );

  it.each(["gpt-4o", "openai/gpt-5", "gpt-4", "ft:gpt-4o:acme::7p4lURel"])(
    "is exact for %s",
    (model) => {
      const exact = tiktokenCounter({ model });

      expect(modelCounter(model).id).toBe(exact.id);
      expect(modelCounter(model).countText(text)).toBe(exact.countText(text));
    },
  );

  it.each([
    ["claude-opus-5-5", "claude"],
    ["anthropic/claude-sonnet-5.5", "claude"],
    ["claude-opus-4-8", "claude"],
    ["claude-opus-4-10", "claude"],
    ["claude-opus-4.6", "claude-before-4.7"],
    ["claude-sonnet-4-20250514", "claude-before-4.7"],
    ["claude-haiku-4-5@20251001", "claude-before-4.7"],
    ["claude-3-5-sonnet-latest", "claude-before-4.7"],
    ["models/gemini-3.8-flash", "gemini"],
    ["us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-before-4.7"],
    ["opus", "claude"],
    ["deepseek/deepseek-v3.2:free", "other"],
    ["meta.llama3-3-70b-instruct-v1:0", "other"],
    ["qwen3-coder", "other"],
    ["grok-4.7", "other"],
  ] as const)("estimates %s as %s", (model, family) => {
    expect(modelCounter(model).id).toBe(estimatingCounter({ family, counter }).id);
  });

  it("returns the same counter for the same model, so that nothing is counted twice", () => {
    expect(modelCounter("gpt-5")).toBe(modelCounter("gpt-5"));
    expect(modelCounter("claude-opus-5")).toBe(modelCounter("claude-opus-5-5"));
    for (let index = 0; index < 500; index++) modelCounter(`gpt-5-${index}`);
    expect(modelCounter("gpt-5").countEntry(userMessage({ content: "Hello" }))).toBe(5);
  });

  it.each([
    "my-model",
    "claude",
    "gemini",
    "",
    "__proto__",
    "constructor",
    "gpt-7",
    undefined,
    null,
    5,
  ])("refuses %j, and estimates it high where that is asked for", (model) => {
    const wrong = model as string;

    expect(() => modelCounter(wrong)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringContaining("`counter`"),
      }),
    );
    if (typeof model !== "string") {
      expect(() => modelCounter(wrong, { estimate: true })).toThrow("Expected `model`");
      return;
    }
    const high = estimatingCounter({ family: "claude", counter });
    expect(modelCounter(wrong, { estimate: true }).countText(text)).toBe(high.countText(text));
    expect(() => modelCounter(wrong)).toThrow("Expected `model`");
  });
});
