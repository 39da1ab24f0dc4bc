import { describe, expect, it } from "vitest";

import { brokenManagers } from "./manager.ts";
import type { ManagerFigures } from "./manager.ts";

const OURS = "agent-history, historyForModelCall";

describe("brokenManagers", () => {
  it("finds nothing where a long conversation costs as a short one, and peers more", () => {
    expect(
      brokenManagers([row(OURS, 1000, 10), row(OURS, 100_000, 20), row("@peer", 100_000, 21)]),
    ).toEqual([]);
  });

  it("finds what costs more than three times a bare read of as many", () => {
    const bare = "bare XADD, XREVRANGE";
    const figures = [row(OURS, 1000, 10), row(OURS, 100_000, 19), row(bare, 100_000, 6)];
    expect(brokenManagers(figures)).toEqual([
      "A call at 100,000 costs 3.2 times a bare read, Redis.",
    ]);
  });

  it("finds what costs more than twice a short one, or more than a peer's read of as many", () => {
    const figures = [
      row(OURS, 1000, 10),
      row(OURS, 100_000, 21),
      row("@peer", 100_000, 20),
      row("@peer", 1000, 1),
    ];
    expect(brokenManagers(figures)).toEqual([
      "A call at 100,000 costs 2.1 times 1,000, Redis.",
      "A call at 100,000 is slower than a read by @peer.",
    ]);
  });
});

function row(system: string, entries: number, medianMs: number): ManagerFigures {
  const call = { minMs: 1, medianMs, meanMs: medianMs, load: 0, isUnsteady: false };
  return { backend: "Redis", system, entries, call };
}
