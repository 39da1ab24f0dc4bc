import type { ImagePart } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openaiImageTokens } from "./image-tokens.ts";

type Detail = NonNullable<ImagePart["detail"]>;

const models = [
  ["gpt-6.2-astra", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.5", "gpt-5.4-mini", "gpt-5.2", "gpt-5.1"],
  ["gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "gpt-4o"],
  ["gpt-4o-mini", "gpt-4-turbo", "o1", "o3", "o4-mini", "something-new"],
].flat();

describe("openaiImageTokens", () => {
  // The examples of OpenAI, "Images and vision", in its present and earlier forms.
  it.each<[string, Detail, number, number, number]>([
    ["gpt-4o", "high", 1024, 1024, 765],
    ["gpt-4o", "high", 2048, 4096, 1105],
    ["gpt-4o", "low", 4096, 8192, 85],
    ["gpt-5.4", "high", 1024, 1024, 1229],
    ["gpt-5.4", "high", 2048, 2048, 3000],
    ["o4-mini", "high", 1024, 1024, Math.ceil(1024 * 1.72)],
    ["o4-mini", "high", 1800, 2400, Math.ceil(1452 * 1.72)],
  ])(
    "gives OpenAI's own example: %s at %s detail, %d × %d, %d tokens",
    (model, detail, width, height, tokens) => {
      expect(openaiImageTokens(model)(image({ width, height, detail }))).toBe(tokens);
    },
  );

  // What usage showed: community.openai.com/t/1281361.
  it.each([
    [2049, 513, 1445],
    [2050, 513, 765],
    // And the second one down, as documented: 768 × 1024.85.
    [900, 1201, 765],
  ])(
    "rounds the first scaling to whole pixels, as was billed: %d × %d, %d tokens",
    (width, height, tokens) => {
      expect(openaiImageTokens("gpt-4.1")(image({ width, height }))).toBe(tokens);
    },
  );

  it.each<[string, Detail, number, number, number]>([
    ["gpt-6-astra", "auto", 1920, 1080, 60 * 34],
    ["gpt-6-astra", "original", 4032, 3024, 126 * 95],
    ["gpt-6-astra", "high", 1920, 1080, 60 * 34],
    ["gpt-6-astra", "high", 4032, 3024, 57 * 43],
    ["gpt-6-astra", "low", 4032, 3024, 16 * 12],
    ["gpt-5.5", "auto", 4032, 3024, 115 * 86],
    ["gpt-5.4", "auto", 4032, 3024, 57 * 43],
    ["gpt-5.4", "low", 4032, 3024, 64 * 48],
  ])(
    "shrinks to the limits of model and detail: %s, %s, %d × %d, %d patches",
    (model, detail, width, height, patches) => {
      expect(openaiImageTokens(model)(image({ width, height, detail }))).toBe(
        Math.ceil(patches * 1.2),
      );
    },
  );

  it.each([
    ["gpt-4o", 85 + 8 * 170],
    ["gpt-4o-mini", 2833 + 8 * 5667],
    ["gpt-5", 70 + 8 * 140],
    ["o3", 75 + 8 * 150],
    ["gpt-5-mini", Math.ceil(1536 * 1.2)],
    ["gpt-5-nano", 1536 * 1.5],
    ["gpt-4.1-nano", Math.ceil(1536 * 2.46)],
    ["gpt-4.1-mini", Math.ceil(6144 * 1.62)],
    ["gpt-5.4", 3000],
    ["gpt-5.5", 3000],
    ["gpt-5.6-terra", 3000],
    ["gpt-6-astra", 3000],
    ["a-model-of-next-year", 3000],
  ])(
    "counts an image of unknown size as the largest that %s shrinks to 2,048 pixels: %d",
    (model, tokens) => {
      const count = openaiImageTokens(model);

      expect(count(image({}))).toBe(tokens);
      expect(count(image({ width: 100 }))).toBe(tokens);
      expect(count(image({ width: 0, height: -1 }))).toBe(tokens);
      expect(count(image({ width: NaN, height: Infinity }))).toBe(tokens);
    },
  );

  it("counts a size that is shrunk never above the unknown one, any at most 36,000 or eight tiles, and none as nothing", () => {
    const sides = fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.integer({ min: 1, max: 3000 }));
    const details = fc.constantFrom<Detail>("low", "high", "auto", "original");
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        details,
        sides,
        sides,
        (model, detail, width, height) => {
          const count = openaiImageTokens(model);
          const tokens = count(image({ width, height, detail }));
          expect(Number.isInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThan(0);
          const isShrunk = detail === "low" || detail === "high";
          expect(tokens).toBeLessThanOrEqual(
            isShrunk ? count(image({ detail })) : Math.max(36_000, count(image({}))),
          );
          expect(tokens).toBe(count(image({ width: height, height: width, detail })));
        },
      ),
      { numRuns: lawRuns(5000) },
    );
  });

  it("knows a fine-tuned model and one behind a gateway", () => {
    expect(openaiImageTokens("ft:gpt-4o-mini:acme::1")(image({ detail: "low" }))).toBe(2833);
    expect(openaiImageTokens("openai/o3")(image({ detail: "low" }))).toBe(75);
  });
});

function image(fields: Partial<ImagePart>): ImagePart {
  return { type: "image", source: { kind: "id", id: "f1" }, ...fields };
}
