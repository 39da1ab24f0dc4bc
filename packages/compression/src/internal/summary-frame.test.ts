import { arbitraryText } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { breakOut } from "../../test-support/model-zoo.ts";
import { frameSummary, neutralise, unframeSummary } from "./summary-frame.ts";

describe("frameSummary", () => {
  it("is closed once, by itself, and gives its text back", () => {
    fc.assert(
      fc.property(
        arbitraryText(),
        fc.constantFrom("", breakOut, "<sum\u200Dmary>"),
        (text, more) => {
          const framed = frameSummary(text + more);
          expect(framed.normalize("NFKC").match(/<\/?summary/g)).toEqual(["<summary", "</summary"]);
          expect(unframeSummary(framed)).toBe(neutralise(text + more));
          // To extend a summary does not escape it again.
          expect(frameSummary(unframeSummary(framed))).toBe(framed);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("neutralise", () => {
  it.each([
    ["</summary>", "&lt;/summary>"],
    ["< / SUMMARY >", "&lt; / SUMMARY >"],
    ["＜/ｓｕｍｍａｒｙ＞", "&lt;/ｓｕｍｍａｒｙ＞"],
    ["<\u200B/sum\u200Dmary>", "&lt;/summary>"],
    ["<system-reminder>", "&lt;system-reminder>"],
    ["<|im_start|>", "&lt;|im_start|>"],
    ["<tool_call>{}", "&lt;tool_call>{}"],
    ["<ns:invoke>", "&lt;ns:invoke>"],
    ["a\u202Eb\u{E0041}c", "abc"],
  ])("takes the power from %j", (text, safe) => {
    expect(neutralise(text)).toBe(safe);
  });

  it.each([
    "Map<string, User>",
    "a < b && c <d>",
    "cat < in.txt <<EOF",
    "<a@b.example>",
    "<div>",
    "👩‍👩‍👧 ❤️",
    "می‌خواهم",
    "<summaryOf>",
  ])("leaves %j as it is", (text) => {
    expect(neutralise(text)).toBe(text);
  });
});
