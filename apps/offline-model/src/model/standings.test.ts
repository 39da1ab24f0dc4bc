import { describe, expect, it } from "vitest";

import { standingsOf } from "./standings.ts";

describe("standingsOf", () => {
  it("puts the documents of a list in its order, however often it names them", () => {
    const [a = 0, b = 0, c = 0] = standings(["a", "a", "b", "a", "c"], ["a", "b", "c"]);

    expect(a).toBe(1);
    expect(b).toBeLessThan(a);
    expect(c).toBeLessThan(b);
    expect(standings(["a", "b", "c"], ["a", "b", "c"])).toEqual([a, b, c]);
  });

  it("counts the list that puts a document highest", () => {
    const lists = [["a", "b"], ["b"]].map((paths) => paths.map((path) => ({ path })));

    expect(standingsOf(lists).get("b")).toBe(1);
  });

  it("knows no document that no list names", () => {
    expect(standingsOf([]).size).toBe(0);
  });
});

function standings(paths: readonly string[], wanted: readonly string[]): readonly number[] {
  const found = standingsOf([paths.map((path) => ({ path }))]);
  return wanted.map((path) => found.get(path) ?? Number.NaN);
}
