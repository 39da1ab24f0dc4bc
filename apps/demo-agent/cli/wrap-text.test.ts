import { describe, expect, it } from "vitest";

import { wrapText } from "./wrap-text.ts";

describe("wrapText", () => {
  it("breaks lines between words, and marks each line of a quotation", () => {
    expect(wrapText("One two three\n> four five six", 9)).toBe(
      "One two\nthree\n> four\n> five\n> six",
    );
  });

  it("leaves what fits as it is, and a word that fits on no line whole", () => {
    expect(wrapText("  a  b\n\n> ", 9)).toBe("  a  b\n\n>");
    expect(wrapText("a docs/a-very-long-path.md", 9)).toBe("a\ndocs/a-very-long-path.md");
  });
});
