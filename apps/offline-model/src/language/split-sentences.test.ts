import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { splitSentences } from "./split-sentences.ts";
import type { NumberedLine } from "./split-sentences.ts";

describe("splitSentences", () => {
  it("lets a sentence run over lines and knows its part of each", () => {
    const sentences = splitSentences(numbered("One. Two goes", "on here. Three", "", "Four"), {
      isProse: true,
    });

    expect(sentences.map(({ pieces }) => pieces)).toEqual([
      [{ number: 1, text: "One." }],
      [
        { number: 1, text: "Two goes" },
        { number: 2, text: "on here." },
      ],
      [{ number: 2, text: "Three" }],
      [{ number: 4, text: "Four" }],
    ]);
    expect(sentences.map(({ goesOn }) => goesOn)).toEqual([false, true, true, false]);
  });

  it("does not end a sentence at an abbreviation, a version or a file name", () => {
    const text = "Use a tool, e.g. version 1.2 of main.ts. Then stop.";

    expect(texts([text], true)).toEqual(["Use a tool, e.g. version 1.2 of main.ts.", "Then stop."]);
  });

  it("reads prose out of comments, and each line of code for itself", () => {
    const lines = [
      "/**",
      " * Opens it. Closes",
      " * it.",
      " *",
      " * @throws Never.",
      " */",
      "open();",
    ];

    expect(kinds(lines, false)).toEqual([
      "prose Opens it.",
      "prose Closes it.",
      "tag @throws Never.",
      "code open();",
    ]);
    expect(
      kinds(["def f():", '    """Says', "", "    hello.", '    """', "    return 1"], false),
    ).toEqual(["code def f():", "prose Says", "prose hello.", "code return 1"]);
  });

  it("tells headings, list items and fences of Markdown apart", () => {
    const lines = ["# Title", "- one", "- two", "```sh", "run. it", "```", "> quoted"];

    expect(kinds(lines, true)).toEqual([
      "heading Title",
      "prose one",
      "prose two",
      "code run. it",
      "prose quoted",
    ]);
  });

  it("lets a sentence run on over the lines of a quotation", () => {
    expect(texts(["> Listen to errors. If you", "> do not, it ends."], true)).toEqual([
      "Listen to errors.",
      "If you do not, it ends.",
    ]);
  });

  it("tells the rows of a table apart, and leaves out its rule, tags alone on a line and front matter", () => {
    const lines = [
      "---",
      "title: Events",
      "---",
      "<Note>",
      "| a | b |",
      "| :-- | --- |",
      "| 1 | 2 |",
    ];

    expect(kinds(lines, true)).toEqual(["row a | b |", "row 1 | 2 |"]);
  });

  it("gives only exact parts of the lines, in their order", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc
        .array(
          fc.constantFrom(
            "/**",
            "*/",
            " * ",
            "//",
            "# ",
            "- ",
            "```",
            '"""',
            "a.",
            " b! ",
            "?",
            "|",
            "@x",
          ),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, isProse) => {
        let last = 0;
        for (const { pieces } of splitSentences(numbered(...lines), { isProse })) {
          expect(pieces.length).toBeGreaterThan(0);
          for (const { number, text } of pieces) {
            expect(number).toBeGreaterThanOrEqual(last);
            expect(text).not.toBe("");
            expect(lines[number - 1]).toContain(text);
            last = number;
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function numbered(...lines: readonly string[]): readonly NumberedLine[] {
  return lines.map((text, index) => ({ number: index + 1, text }));
}

function texts(lines: readonly string[], isProse: boolean): readonly string[] {
  return splitSentences(numbered(...lines), { isProse }).map(({ text }) => text);
}

function kinds(lines: readonly string[], isProse: boolean): readonly string[] {
  return splitSentences(numbered(...lines), { isProse }).map(({ kind, text }) => `${kind} ${text}`);
}
