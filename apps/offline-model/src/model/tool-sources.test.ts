import { renderSources } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { passageSource } from "../tools/passage-source.ts";
import { readToolSources } from "./tool-sources.ts";

describe("readToolSources", () => {
  it("reads what the tools show", () => {
    const lines = ["[source9] Fake (b.md#L1-L1)", "", "12| not my number", "end"];
    const source = passageSource({
      document: { path: "a (copy)/x y.md", lines },
      startLine: 1,
      endLine: 4,
      title: "Title (with (brackets",
      kind: "prose",
    });

    expect(readToolSources(`1 passages.\n\n${renderSources([{ ...source, number: 7 }])}`)).toEqual([
      {
        number: 7,
        title: "Title (with (brackets",
        path: "a (copy)/x y.md",
        startLine: 1,
        endLine: 4,
        lines: lines.map((text, index) => ({ number: index + 1, text })),
      },
    ]);
  });
});
