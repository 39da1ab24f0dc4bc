import { describe, expect, it } from "vitest";

import { findTestTitles } from "./find-test-titles.ts";

describe("findTestTitles", () => {
  it("finds the titles of tests that run, and of no others", () => {
    const source = [
      'describe("not me", () => {',
      '  it("runs", () => {});',
      "  it(`runs too`, () => {});",
      "  it(`is made of ${parts}`, () => {});",
      '  it.each([1])("runs for each", () => {});',
      '  it.each<[string, number]>([["one row", 1], ["another", 2]])("%s", () => {});',
      '  it.skipIf(windows)("runs here", () => {});',
      '  it.skip("does not run", () => {});',
      '  it.todo("is planned");',
      '  other("is no test", () => {});',
      "});",
    ].join("\n");

    expect(findTestTitles("a.test.ts", source)).toEqual([
      "runs",
      "runs too",
      "runs for each",
      "one row",
      "another",
      "runs here",
    ]);
  });
});
