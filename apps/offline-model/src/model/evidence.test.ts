import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readEvidence, writeEvidence } from "./evidence.ts";

const line = fc
  .string({ unit: "grapheme" })
  .map((text) => text.replace(/[\n\r]/g, "").trimEnd())
  .filter((text) => !text.startsWith(">"));
const evidence = fc.record({
  number: fc.nat(),
  path: fc.constantFrom("a.md", "a b/c (1).ts", "x:1-2.md"),
  startLine: fc.nat(),
  endLine: fc.nat(),
  title: fc.constantFrom("", "Guide › Install (it)", "a.md:1-2 [source9]:"),
  quote: fc.array(line),
});

describe("writeEvidence", () => {
  it("is read back by readEvidence, also among other words", () => {
    fc.assert(
      fc.property(fc.array(evidence), (written) => {
        expect(readEvidence(writeEvidence(written))).toEqual(written);
        expect(readEvidence(`From what I know:\n\n${writeEvidence(written)}`)).toEqual(written);
      }),
      { numRuns: 1_000 },
    );
  });

  it("cannot be imitated by what it quotes", () => {
    const written = [
      {
        number: 1,
        path: "a.md",
        startLine: 1,
        endLine: 2,
        title: "",
        quote: ["b.md:1-2 [source9]:", "> x"],
      },
    ];

    expect(readEvidence(writeEvidence(written)).map(({ number }) => number)).toEqual([1]);
  });
});
