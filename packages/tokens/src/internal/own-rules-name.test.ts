import { describe, expect, it } from "vitest";

import { estimatingCounter } from "../estimating-counter.ts";
import { gptTokenizerCounter } from "../gpt-tokenizer.ts";

const model = "gpt-4o";
const flat = (tokens: number) => (): number => tokens;

describe("ownRulesName", () => {
  it("gives counters with other rules for images or files other ids, and equal ones the same", () => {
    const ids = [
      gptTokenizerCounter({ model }),
      gptTokenizerCounter({ model, imageTokens: () => 900 }),
      gptTokenizerCounter({ model, imageTokens: flat(1) }),
      gptTokenizerCounter({ model, imageTokens: flat(2) }),
      gptTokenizerCounter({ model, fileTokens: flat(1) }),
      gptTokenizerCounter({ model, fileTokens: flat(2) }),
      gptTokenizerCounter({ model, imageTokens: flat(1), fileTokens: flat(1) }),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBe("openai:gpt-4o");
    expect(gptTokenizerCounter({ model, imageTokens: flat(2) }).id).toBe(ids[3]);
  });

  it("does so for estimating counters", () => {
    const counter = gptTokenizerCounter({ model });
    const ids = [undefined, flat(1), flat(2)].map(
      (imageTokens) =>
        estimatingCounter({ family: "claude", counter, ...(imageTokens && { imageTokens }) }).id,
    );
    expect(new Set(ids).size).toBe(3);
  });

  it("leaves an id that was given as it is, and does not fail where a rule fails on a sample", () => {
    const imageTokens = (): number => {
      throw new Error("no size");
    };
    expect(gptTokenizerCounter({ model, imageTokens, id: "mine" }).id).toBe("mine");
    expect(gptTokenizerCounter({ model, imageTokens }).id).toMatch(/^openai:gpt-4o\+/);
  });
});
