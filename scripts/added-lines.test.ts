import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { addedLines } from "./added-lines.ts";
import { findExamples } from "./find-examples.ts";
import { rootFolder } from "./workspace-packages.ts";

describe("addedLines", () => {
  it("counts code, and neither comments nor what is shown", () => {
    const first = "const a = 1;\n\nsend(a);\na;\n// => 1\n";
    const second = "// Why.\nconst a = 1;\nconst b = fit(a);\nsend(b);\nb;\n// => 1\n";

    expect(addedLines(first, second)).toEqual({ before: 2, added: 1, changed: 1 });
    expect(addedLines(first, first)).toEqual({ before: 2, added: 0, changed: 0 });
    expect(addedLines(second, first)).toEqual({ before: 3, added: -1, changed: 2 });
  });
});

// Each guide shows a program as its user has it today, and the same program with the one call.
describe("the one call of agent-history", () => {
  it.each([
    ["openai.md", 0, { added: 4, changed: 1 }],
    ["openai.md", 2, { added: 2, changed: 1 }],
    ["anthropic.md", 0, { added: 4, changed: 1 }],
    ["ai-sdk.md", 0, { added: 2, changed: 0 }],
  ])("in %s, example %d, costs %j lines: at most 5 more", (guide, index, lines) => {
    const file = join(rootFolder, "docs/guide", guide);
    const [before, after] = findExamples(file, readFileSync(file, "utf8")).slice(index, index + 2);

    const { added, changed } = addedLines(before?.code ?? "", after?.code ?? "");
    expect(before?.code).not.toContain("agent-history");
    expect({ added, changed }).toEqual(lines);
    expect(added).toBeLessThanOrEqual(5);
  });
});
