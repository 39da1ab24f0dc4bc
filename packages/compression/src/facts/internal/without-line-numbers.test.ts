import { describe, expect, it } from "vitest";

import { withoutLineNumbers } from "./without-line-numbers.ts";

describe("withoutLineNumbers", () => {
  it.each(["→", "\t", ": ", "| "])("takes numbers away that %j follows", (mark) => {
    const text = [118, 119, 120]
      .map((number) => `  ${number}${mark}const a = ${number};`)
      .join("\n");

    expect(withoutLineNumbers(text)).toBe("const a = 118;\nconst a = 119;\nconst a = 120;");
  });

  it.each([
    ["times", "12:30 start\n11:00 end\n10:15 pause"],
    ["few lines", "1: one\n2: two"],
    ["a list among other text", "Steps\n1: one\nthen\n2: two\nthen\n3: three"],
  ])("leaves %s as they are", (_, text) => {
    expect(withoutLineNumbers(text)).toBe(text);
  });
});
