import { describe, expect, it } from "vitest";

import { geminiImageTokens } from "./image-tokens.ts";

describe("geminiImageTokens", () => {
  it("counts by resolution alone", () => {
    const image = { type: "image", source: { kind: "id", id: "f1" } } as const;
    const count = geminiImageTokens();

    expect(count({ ...image, width: 4000, height: 3000 })).toBe(1120);
    expect(count({ ...image, detail: "high" })).toBe(1120);
    expect(count({ ...image, detail: "low" })).toBe(280);
    expect(count({ ...image, detail: "original" })).toBe(2240);
  });
});
