import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { logSegments, runsOfRows } from "./log-segments.ts";
import { locateThread } from "./tree-keys.ts";

const location = locateThread("n", "t/a/b");
const ancestry = [
  { branch: "", upTo: 4 },
  { branch: "/a", upTo: 7 },
];

describe("logSegments", () => {
  it("finds the first positions of a fork in the logs of its ancestors", () => {
    const segments = logSegments(location, ancestry, { from: 2, to: 9 });

    expect(segments.map(({ key, from, to }) => [key, from, to])).toEqual([
      ["ah:{n:t}:l", 2, 4],
      ["ah:{n:t}/a:l", 4, 7],
      ["ah:{n:t}/a%002fb:l", 7, 9],
    ]);
  });

  it("asks no log for nothing", () => {
    expect(logSegments(location, ancestry, { from: 4, to: 4 })).toEqual([]);
    expect(logSegments(location, ancestry, { from: 5, to: 7 }).map(({ key }) => key)).toEqual([
      "ah:{n:t}/a:l",
    ]);
  });
});

describe("runsOfRows", () => {
  it("reads each row that has a wanted position once, and no other", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.uniqueArray(fc.nat(40)), (rows, drawn) => {
        const ends = rows.flatMap((size, row) => {
          const before = rows.slice(0, row).reduce((sum, one) => sum + one, 0);
          return Array.from({ length: size }, () => before + size - 1);
        });
        const positions = drawn.filter((at) => at < ends.length).toSorted((a, b) => a - b);
        const runs = runsOfRows({ positions, rowEnds: positions.map((at) => ends[at] ?? at) });
        const read = runs.flatMap(({ from, to }) => {
          const covered = ends.slice(from, to);
          expect(covered.at(-1)).toBe(to - 1);
          return [...new Set(covered)];
        });
        expect(read).toEqual([...new Set(positions.map((at) => ends[at]))]);
      }),
    );
  });

  it("takes each position for a row of its own where the index was not asked", () => {
    expect(runsOfRows({ positions: [1, 2, 3, 7] })).toEqual([
      { from: 1, to: 4 },
      { from: 7, to: 8 },
    ]);
  });
});
