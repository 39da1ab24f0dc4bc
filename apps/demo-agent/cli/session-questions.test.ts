import { describe, expect, it } from "vitest";

import { sessionQuestions } from "./session-questions.ts";

describe("sessionQuestions", () => {
  it("asks of the largest sections, prose first, and at last of what was found first", () => {
    const files = {
      "CHANGELOG.md": `# Changes\n${"line\n".repeat(9)}`,
      "a.ts": `/** Runs at the start of each day. */\nexport const start = 1;\n${"// long\n".repeat(9)}`,
      "b.md": `# Title\n\n## Small\nOne line of it.\n\n## Large\n${"Large is the word for it.\n".repeat(9)}`,
    };

    expect(ask(files)).toEqual([
      "What is said about Large?",
      "What is said about start?",
      "What else does that file you found first say?",
    ]);
  });

  it("asks nothing that these documents cannot answer", () => {
    expect(
      ask({ "a.ts": "export const start = 1;", "b.md": "# Empty\n\n```\nline()\n```\n" }),
    ).toEqual([]);
  });

  it("asks nothing of a folder that has no headings and no names", () => {
    expect(ask({ "a.txt": "Just words." })).toEqual([]);
  });
});

function ask(files: Readonly<Record<string, string>>): readonly string[] {
  return sessionQuestions(
    Object.entries(files).map(([path, text]) => ({ path, lines: text.split("\n") })),
  );
}
