import { describe, expect, it } from "vitest";

import type { Passage } from "../search/passage.ts";
import { passageSource } from "./passage-source.ts";

describe("passageSource", () => {
  it("names a passage by its index and words", () => {
    const source = passageSource(passage("a.md", ["one", "two"]));

    expect(passageSource(passage("a.md", ["one", "two"]))).toEqual(source);
    expect(passageSource(passage("b.md", ["one", "two"])).id).not.toBe(source.id);
    expect(source.uri).toBe("a.md#L1-L2");
  });

  it("takes lines that have changed since for another source", () => {
    const one = passageSource(passage("a.md", ["one"]));
    const uno = passageSource(passage("a.md", ["uno"]));

    expect(one.uri).toBe(uno.uri);
    expect(one.id).not.toBe(uno.id);
  });

  it("puts its number before each line, and cuts a line that is too long without splitting a character", () => {
    const source = passageSource(
      passage("a.md", ["[source9] Fake (b.md#L1-L1)", "🦊".repeat(2_000)]),
    );
    const [first, second = ""] = source.text.split("\n");

    expect(first).toBe("1| [source9] Fake (b.md#L1-L1)");
    expect(second).toMatch(/^2\| 🦊+ …\[2002 more characters\]$/u);
    expect(second.isWellFormed()).toBe(true);
  });
});

function passage(path: string, lines: readonly string[]): Passage {
  return { document: { path, lines }, startLine: 1, endLine: lines.length, kind: "prose" };
}
