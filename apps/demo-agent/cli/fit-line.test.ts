import { describe, expect, it } from "vitest";

import { fitLine } from "./fit-line.ts";

describe("fitLine", () => {
  it("leaves what fits, and cuts the rest between words", () => {
    expect(fitLine("one two three", 13)).toBe("one two three");
    expect(fitLine("one two three", 12)).toBe("one two …");
    expect(fitLine("one two three", 9)).toBe("one two …");
  });

  it("cuts within a word only where that word is most of the line", () => {
    expect(fitLine("a packages/filters/src", 12)).toBe("a packages/…");
  });

  it("counts wide characters as two", () => {
    expect(fitLine("日本語日本語", 7)).toBe("日本語…");
  });
});
