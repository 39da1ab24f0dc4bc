import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { breakOut } from "../../test-support/model-zoo.ts";
import { neutralize, frameSummary, unframeSummary } from "./data-text.ts";

describe("frameSummary", () => {
  it("is closed once, by itself, and gives its text back", () => {
    fc.assert(
      fc.property(
        arbitraryText(),
        fc.constantFrom("", breakOut, "<sum\u200Dmary>"),
        (text, more) => {
          const framed = frameSummary(text + more);
          expect(framed.normalize("NFKC").match(/<\/?summary/g)).toEqual(["<summary", "</summary"]);
          expect(unframeSummary(framed)).toBe(neutralize(text + more));
          // To extend a summary does not escape it again.
          expect(frameSummary(unframeSummary(framed))).toBe(framed);
        },
      ),
      { numRuns: lawRuns(200) },
    );
  });
});
