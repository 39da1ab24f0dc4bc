import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { weighTopic } from "./coverage.ts";
import { pickQuote } from "./pick-quote.ts";
import type { Quote } from "./pick-quote.ts";
import { topicOf } from "./topic.ts";

describe("pickQuote", () => {
  it("picks the sentence that says most, and the one behind it", () => {
    const text =
      "Birds sing. The valve stays shut in rain. It opens when the sun\nis out. Cats sleep.";

    expect(quote("When does the valve stay shut?", text)?.lines).toEqual([
      "The valve stays shut in rain. It opens when the sun",
      "is out.",
    ]);
  });

  it("goes on from a heading to what it heads", () => {
    expect(quote("variadic option", "# Variadic option\n\nAppend dots.\n\nMore.")?.lines).toEqual([
      "Variadic option",
      "",
      "Append dots.",
      "",
      "More.",
    ]);
  });

  it("goes on from a colon to the list or table that it announces", () => {
    const text = "The supported events are:\n\n| name | when |\n|---|---|\n| open | at dawn |";

    expect(quote("Which events are supported?", text)?.lines).toEqual([
      "The supported events are:",
      "",
      "name | when |",
      "",
      "open | at dawn |",
    ]);
  });

  it("prefers what explains to a line of code", () => {
    const code = "/** Opens the valve. */\nopenValve(valve, open);";

    expect(quote("How is the valve opened?", code, "a.ts")?.lines).toEqual(["Opens the valve."]);
  });

  it("gives nothing where no word fits", () => {
    expect(quote("zeppelin", "The valve stays shut.")).toBeUndefined();
    expect(quote("", "The valve stays shut.")).toBeUndefined();
  });

  it("quotes exact parts of neighboring lines", () => {
    const line = fc
      .array(
        fc.constantFrom("valve", "shut", "The", "a", ".", "/**", "*/", "*", "# ", "- ", "?", "```"),
      )
      .map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("a.md", "a.ts", "a.py"), (lines, path) => {
        const found = quote("valve shut", lines.join("\n"), path)?.lines ?? [];
        const starts = lines.flatMap((_, start) =>
          found.every((part, index) => lines[start + index]?.includes(part)) ? [start] : [],
        );

        if (found.length > 0) expect(starts).not.toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

function quote(question: string, text: string, path = "a.md"): Quote | undefined {
  const lines = text.split("\n").map((line, index) => ({ number: index + 1, text: line }));
  const source = { number: 0, title: "", path, startLine: 1, endLine: lines.length, lines };
  return pickQuote(source, weighTopic(topicOf(question), []));
}
