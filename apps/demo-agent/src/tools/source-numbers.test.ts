import { observation } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import type { Passage } from "../search/passage.ts";
import { sourceNumbers } from "./source-numbers.ts";

describe("sourceNumbers", () => {
  it("gives a new number to new lines, and to the same lines the same", () => {
    const numbers = sourceNumbers();
    const a = numbers.cite(passage("a.md", ["one", "two"]));
    const b = numbers.cite(passage("b.md", ["one", "two"]));

    expect([a.number, b.number]).toEqual([0, 1]);
    expect(numbers.cite(passage("a.md", ["one", "two"]))).toBe(a);
    expect(numbers.find(1)).toBe(b);
    expect(numbers.find(2)).toBeUndefined();
  });

  it("goes on behind the numbers that a thread has given, gaps and all", () => {
    const first = sourceNumbers().cite(passage("a.md", ["one"]));
    const thread = [
      observation({
        callId: "c1",
        toolName: "search_text",
        outcome: "success",
        content: "",
        sources: [{ ...first, number: 7 }],
      }),
    ];
    const numbers = sourceNumbers(thread);

    expect(numbers.cite(passage("a.md", ["one"])).number).toBe(7);
    expect(numbers.cite(passage("b.md", ["one"])).number).toBe(8);
  });

  it("takes lines that have changed since for another source", () => {
    const numbers = sourceNumbers();

    expect(numbers.cite(passage("a.md", ["one"])).number).toBe(0);
    expect(numbers.cite(passage("a.md", ["uno"])).number).toBe(1);
  });

  it("puts its number before each line, and cuts a line that is too long without splitting a character", () => {
    const source = sourceNumbers().cite(
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
