import { describe, expect, it } from "vitest";

import { estimatingCounter } from "../estimating-counter.ts";
import { tiktokenCounter } from "../tiktoken-counter.ts";

const model = "gpt-4o";

describe("ownRulesName", () => {
  it("gives counters with other rules for images or files other ids, and equal ones the same", () => {
    const ids = [
      tiktokenCounter({ model }),
      tiktokenCounter({ model, imageTokens: () => 900 }),
      tiktokenCounter({ model, imageTokens: () => 901 }),
      tiktokenCounter({ model, fileTokens: () => 900 }),
      tiktokenCounter({ model, imageTokens: () => 900, fileTokens: () => 900 }),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBe("openai:gpt-4o");
    expect(tiktokenCounter({ model, imageTokens: () => 901 }).id).toBe(ids[2]);
  });

  it("does so for estimating counters", () => {
    const counter = tiktokenCounter({ model });
    const ids = [undefined, () => 1, () => 2].map(
      (imageTokens) =>
        estimatingCounter({ family: "claude", counter, ...(imageTokens && { imageTokens }) }).id,
    );
    expect(new Set(ids).size).toBe(3);
  });

  it("leaves an id that was given as it is", () => {
    const imageTokens = (): number => 900;
    expect(tiktokenCounter({ model, imageTokens, id: "mine" }).id).toBe("mine");
  });
});
