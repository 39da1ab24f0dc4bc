import { describe, expect, it } from "vitest";

import { assertArrows } from "./assert-arrows.ts";

describe("assertArrows", () => {
  it("asserts an expression by the comment behind it or on the next line", () => {
    expect(arrows("add(1, 2); // => 3\nadd(2, 2);\n// => 4")).toBe(
      'assertEqual((add(1, 2)), ( 3), "a.md:10"); // => 3\nassertEqual((add(2, 2)), ( 4), "a.md:12");\n// => 4',
    );
  });

  it("asserts what console.log prints and what a declaration names", () => {
    expect(arrows("console.log(sum); // => 3")).toContain('assertEqual((sum), ( 3), "a.md:10")');
    expect(arrows("const sum = 1; // => 1")).toContain("const sum = 1;; assertEqual((sum), ( 1)");
  });

  it("reads a value that goes on over several comment lines", () => {
    expect(arrows("list();\n// => [\n//   1,\n// ]\n// A remark.")).toContain("( [   1, ])");
  });

  it("leaves other comments alone", () => {
    const code = "// A remark.\nadd(1, 2); // => with care".replace("=>", "->");

    expect(arrows(code)).toBe(code);
  });

  it("refuses an arrow below no expression, and one without a value", () => {
    expect(() => arrows("add(1, 2);\n\n// => 3")).toThrow("a.md:12 // => stands below no");
    expect(() => arrows("if (x) {\n  y; // => 3\n}")).toThrow("a.md:11 // => stands below no");
    expect(() => arrows("add(1, 2); // => three apples")).toThrow("a.md:10 // => is followed by");
  });
});

function arrows(code: string): string {
  return assertArrows({ file: "a.md", line: 10, code, run: true });
}
