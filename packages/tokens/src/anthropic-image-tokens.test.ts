import type { ImagePart } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anthropicImageTokens } from "./image-tokens.ts";

describe("anthropicImageTokens", () => {
  // Anthropic, "Vision" and "How Claude resizes and pads images": its own examples.
  it.each([
    [1000, 1000, 1296, 1296],
    [1075, 1520, 33 * 47, 39 * 55],
    [1920, 1080, 52 * 30, 69 * 39],
    [200, 200, 64, 64],
    // The long side is too long, though the tokens would be few: 1568 × 20 and 2576 × 32.
    [8000, 100, 56 * 1, 92 * 2],
    // 1456 × 812.5 is rounded to the even neighbor.
    [3360, 1875, 52 * 29, 92 * 52],
  ])(
    "counts %d × %d pixels as %d at standard, %d at high resolution",
    (width, height, standard, high) => {
      expect(anthropicImageTokens("standard")(image({ width, height }))).toBe(standard);
      expect(anthropicImageTokens("high")(image({ width, height }))).toBe(high);
      expect(anthropicImageTokens()(image({ width: height, height: width }))).toBe(high);
    },
  );

  it("counts an image of unknown size as the largest", () => {
    expect(anthropicImageTokens("standard")(image({}))).toBe(1568);
    expect(anthropicImageTokens("high")(image({ width: 100 }))).toBe(4784);
  });

  it("shrinks any image to the limits, and a small one not at all", () => {
    const sides = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 1500 }));
    const resolutions = fc.constantFrom(
      ["standard", 1568, 1568] as const,
      ["high", 2576, 4784] as const,
    );
    fc.assert(
      fc.property(sides, sides, resolutions, (width, height, [resolution, maxSide, maxTokens]) => {
        const tokens = anthropicImageTokens(resolution)(image({ width, height }));
        const unshrunk = Math.ceil(width / 28) * Math.ceil(height / 28);
        expect(tokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThanOrEqual(Math.min(maxTokens, unshrunk));
        const isSmall = Math.max(width, height) <= maxSide && unshrunk <= maxTokens;
        expect(tokens === unshrunk || !isSmall).toBe(true);
      }),
      { numRuns: lawRuns(3000) },
    );
  });
});

function image(fields: Partial<ImagePart>): ImagePart {
  return { type: "image", source: { kind: "id", id: "f1" }, ...fields };
}
