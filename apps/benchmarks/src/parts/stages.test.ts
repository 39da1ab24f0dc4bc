import { describe, expect, it } from "vitest";

import { brokenStages } from "./stages.ts";
import type { StageFigures } from "./stages.ts";

describe("brokenStages", () => {
  it("finds what takes more times as long as promised", () => {
    expect(brokenStages([row("filter", 20), row("cleaning", 21)])).toEqual([
      "cleaning takes 21.0 times what is bare, expected at most 20.",
    ]);
  });
});

describe("brokenStages, of an index", () => {
  it("finds what reads less text a second than promised", () => {
    const index = { ...row("index", 5), characters: 40_000 };

    expect(brokenStages([index])).toEqual(["index reads 8.0 MB/s, expected 10 or more."]);
    expect(brokenStages([{ ...index, characters: 50_000 }])).toEqual([]);
  });
});

function row(what: string, minMs: number): StageFigures {
  const bare = { minMs: 1, medianMs: 1, meanMs: 1, load: 0, isUnsteady: false };
  return { what, own: { ...bare, minMs }, bare, mostTimes: 20 };
}
