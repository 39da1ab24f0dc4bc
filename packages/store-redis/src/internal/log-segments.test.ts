import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { logSegments, runsOf } from "./log-segments.ts";
import { placeOfThread } from "./tree-keys.ts";

const place = placeOfThread("n", "t/a/b");
const ancestry = [
  { branch: "", upTo: 4 },
  { branch: "/a", upTo: 7 },
];

describe("logSegments", () => {
  it("finds the first positions of a fork in the logs of its ancestors", () => {
    const segments = logSegments(place, ancestry, { from: 2, to: 9 });

    expect(segments.map(({ key, from, to }) => [key, from, to])).toEqual([
      ["ah:{n:t}:l", 2, 4],
      ["ah:{n:t}/a:l", 4, 7],
      ["ah:{n:t}/a%002fb:l", 7, 9],
    ]);
  });

  it("asks no log for nothing", () => {
    expect(logSegments(place, ancestry, { from: 4, to: 4 })).toEqual([]);
    expect(logSegments(place, ancestry, { from: 5, to: 7 }).map(({ key }) => key)).toEqual([
      "ah:{n:t}/a:l",
    ]);
  });
});

describe("runsOf", () => {
  it("covers the positions, each once, in as few runs as there are gaps", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), (drawn) => {
        const positions = drawn.toSorted((one, other) => one - other);
        const runs = runsOf(positions);
        const covered = runs.flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, index) => from + index),
        );
        expect(covered).toEqual(positions);
        const gaps = positions.filter((position, index) => positions[index - 1] !== position - 1);
        expect(runs.length).toBe(gaps.length);
      }),
    );
  });
});
