import { describe, expect, it } from "vitest";

import { findAnchors, findInlineCode, findLinks } from "./find-links.ts";

describe("findLinks", () => {
  it("finds links with text, title and line, in tables too, and none in code", () => {
    const page = [
      '# A [first `one`](a.md "says so")',
      "",
      "| x | [second](b.md#c) |",
      "",
      "`[no](n.md)`",
      "",
      "```md",
      "[no](n.md)",
      "```",
    ].join("\n");

    expect(findLinks(page)).toEqual([
      { url: "a.md", text: "first one", title: "says so", line: 1 },
      { url: "b.md#c", text: "second", line: 3 },
    ]);
  });
});

describe("findInlineCode", () => {
  it("finds what stands between backticks", () => {
    expect(findInlineCode("a `b#c`, **`d`** and\n\n```ts\ne\n```")).toEqual(["b#c", "d"]);
  });
});

describe("findAnchors", () => {
  it("writes headings as GitHub does", () => {
    expect(findAnchors("# A `b`, and C\n\ntext\n\n## d_e: f-g?\n")).toEqual([
      "a-b-and-c",
      "d_e-f-g",
    ]);
  });
});
