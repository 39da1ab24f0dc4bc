import { describe, expect, it } from "vitest";

import { bareWalk } from "../systems/bare-walk.ts";
import { brokenGrowing, growingAll, growingTable } from "./growing.ts";
import type { GrowingFigures } from "./growing.ts";

const SIZE = { turns: 10, repeats: 2, windowTokens: 300 };

function row(system: string, minMs: number): GrowingFigures {
  const took = { minMs, medianMs: minMs, meanMs: minMs, load: 0, isUnsteady: false };
  return { system, turns: 1000, took };
}

describe("growingAll", () => {
  it("has a conversation with each system, turn by turn", async () => {
    const bare = bareWalk();
    const lengths: number[] = [];
    const watched: typeof bare = {
      name: "watched",
      open: (given, windowTokens) => {
        const conversation = bare.open(given, windowTokens);
        lengths.push(0);
        return {
          append: (messages) => conversation.append(messages),
          fit: () => {
            lengths.push((lengths.pop() ?? 0) + 1);
            return conversation.fit();
          },
        };
      },
    };
    const rows = await growingAll([watched], SIZE);

    expect(growingTable(rows).rows.map(([system]) => system)).toEqual(["watched"]);
    expect(lengths.slice(0, 4)).toEqual([1, 1, 10, 10]);
  });
});

describe("brokenGrowing", () => {
  it("tells which peer is quicker than handing in the whole chat", () => {
    const own = row("agent-history", 300);
    const walk = row("bare backward walk", 20);

    expect(brokenGrowing([own, walk, row("Mastra TokenLimiter, contiguous", 900)])).toEqual([]);
    expect(brokenGrowing([{ ...own, took: undefined }, walk])).toEqual([
      "agent-history: too slow to be run.",
    ]);
    expect(brokenGrowing([own, walk, row("Mastra TokenLimiter, contiguous", 200)])).toEqual([
      "1,000 growing turns are slower than with Mastra TokenLimiter, contiguous.",
    ]);
  });
});
