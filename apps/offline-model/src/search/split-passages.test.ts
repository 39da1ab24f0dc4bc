import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { splitPassages } from "./split-passages.ts";

describe("splitPassages", () => {
  it("keeps a heading with what follows it, and knows the headings above", () => {
    const text = "# Guide\n\nHello.\n\n## Install\n\nRun it.\n\nTwice.\n# Other\nEnd.";

    expect(describePassages("guide.md", text)).toEqual([
      "1-3 prose Guide",
      "5-7 prose Guide › Install",
      "9-9 prose Guide › Install",
      "10-11 prose Other",
    ]);
  });

  it("keeps what ends with a colon with what it announces", () => {
    expect(describePassages("a.md", "The events are:\n\n- open\n- shut\n\nMore.")).toEqual([
      "1-4 prose",
      "6-6 prose",
    ]);
  });

  it("takes no heading from a fence, and does not cut the fence", () => {
    const text = "# Run\n\n```sh\n# not a heading\n\nls\n```";

    expect(describePassages("run.md", text)).toEqual(["1-7 prose Run"]);
  });

  it("keeps a comment with what it explains, and names it", () => {
    const text =
      "import a\n\n/**\n * Opens.\n\n * It.\n */\nexport async function openIt() {\n  x\n\n  y\n}";

    expect(describePassages("a.ts", text)).toEqual([
      "1-1 mention",
      "3-9 explained openIt",
      "11-12 mention",
    ]);
  });

  it("keeps a documentation string with its function", () => {
    const text = 'def water(bed):\n    """Waters.\n\n    A bed.\n    """\n    return bed';

    expect(describePassages("a.py", text)).toEqual(["1-6 explained water"]);
  });

  it("puts every line that is not blank in exactly one passage of at most 32 lines", () => {
    const line = fc.constantFrom(
      "",
      "",
      "a",
      "# b",
      "```",
      "/*",
      "*/",
      '"""',
      "const c = 1",
      "  d",
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 120 }),
        fc.constantFrom("a.md", "a.ts"),
        (lines, path) => {
          const passages = splitPassages({ path, lines });
          const covered = passages.flatMap(({ startLine, endLine }) =>
            lines.map((_, index) => index + 1).slice(startLine - 1, endLine),
          );
          const filled = lines.flatMap((text, index) => (text === "" ? [] : [index + 1]));

          expect(new Set(covered).size).toBe(covered.length);
          expect(covered.filter((number) => filled.includes(number))).toEqual(filled);
          for (const { startLine, endLine } of passages) {
            expect(endLine - startLine + 1).toBeLessThanOrEqual(32);
            expect([lines[startLine - 1], lines[endLine - 1]]).not.toContain("");
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("cuts what goes on for more than 32 lines", () => {
    expect(describePassages("a.md", "line\n".repeat(40))).toEqual(["1-32 prose", "33-40 prose"]);
  });

  it("does not search a megabyte in one line for what it is", () => {
    const spaces = " ".repeat(1_000_000);

    expect(describePassages("a.md", `# ${spaces}x`)).toEqual(["1-1 prose"]);
    expect(describePassages("a.ts", `export${spaces}const x`)).toEqual(["1-1 mention"]);
  });
});

function describePassages(path: string, text: string): readonly string[] {
  return splitPassages({ path, lines: text.split("\n") }).map(
    ({ startLine, endLine, kind, title }) =>
      [`${startLine}-${endLine}`, kind, title].filter((part) => part !== undefined).join(" "),
  );
}
