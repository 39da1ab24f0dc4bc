import { describe, expect, it } from "vitest";

import { fitAims } from "./fit-aims.ts";
import type { FitFigures } from "./fit-one.ts";

describe("fitAims", () => {
  it("holds what was measured against each aim", () => {
    const aims = fitAims([
      figures("bare backward walk", { oneMoreTurnMs: 0.01 }),
      figures("agent-history, incremental", { warmMs: 0.02, oneMoreTurnMs: 0.05 }),
      figures("agent-history, stateless", { warmMs: 1, oneMoreTurnMs: 1 }),
      figures("trimMessages, caching counter", { warmMs: 200 }),
      figures("Mastra TokenLimiter, best-fit", { warmMs: 1.9 }),
    ]);

    expect(aims.map(({ isMet }) => isMet)).toEqual([true, false, true]);
    expect(aims.map(({ incremental }) => Math.round(incremental))).toEqual([10_000, 95, 5]);
    expect(aims.map(({ stateless }) => Math.round(stateless))).toEqual([200, 2, 100]);
  });

  it("leaves out a system that was not run, and says nothing of other lengths", () => {
    const ours = ["agent-history, incremental", "agent-history, stateless", "bare backward walk"];
    const because = "over 90 s";
    const notRun = { ...figures("trimMessages, caching counter", {}), because };

    expect(fitAims([...ours.map((name) => figures(name, {})), notRun])).toHaveLength(1);
    expect(fitAims(ours.map((name) => ({ ...figures(name, {}), messages: 1000 })))).toEqual([]);
  });
});

function figures(system: string, times: Partial<FitFigures>): FitFigures {
  const one = { coldMs: 1, warmMs: 1, oneMoreTurnMs: 1, peakMb: 0, ...times };
  return { system, messages: 10_000, windowTokens: 8000, ...one };
}
