import { describe, expect, it } from "vitest";

import { fitAims } from "./fit-aims.ts";
import type { FitMeasured } from "./fit.ts";

describe("fitAims", () => {
  it("holds what was measured against each aim", () => {
    const aims = fitAims([
      figures("agent-history, incremental", {
        warmMs: 0.02,
        timesBare: 5,
        meanTimesBare: 9,
      }),
      figures("agent-history, stateless", { warmMs: 1, timesBare: 100, meanTimesBare: 100 }),
      figures("trimMessages, caching counter", { warmMs: 200 }),
      figures("Mastra TokenLimiter, best-fit", { warmMs: 1.9 }),
    ]);

    expect(aims.map(({ isMet }) => isMet)).toEqual([true, false, false, true]);
    expect(aims.map(({ incremental }) => Math.round(incremental))).toEqual([10_000, 95, 5, 9]);
    expect(aims.map(({ stateless }) => Math.round(stateless))).toEqual([200, 2, 100, 100]);
  });

  it("leaves out a system that was not run, and says nothing of other lengths", () => {
    const ours = ["agent-history, incremental", "agent-history, stateless"];
    const because = "over 90 s";
    const notRun = { ...figures("trimMessages, caching counter", {}), because };

    expect(fitAims([...ours.map((name) => figures(name, {})), notRun])).toHaveLength(2);
    expect(fitAims(ours.map((name) => ({ ...figures(name, {}), messages: 1000 })))).toEqual([]);
  });
});

function figures(system: string, times: Partial<FitMeasured>): FitMeasured {
  const again = { coldMs: 1, warmMs: 1, warmMinMs: 1 };
  const turn = { oneMoreTurnMs: 1, oneMoreTurnMinMs: 1, oneMoreTurnMeanMs: 1, firstTurnsMeanMs: 1 };
  const beside = { bareTurnMs: 1, timesBare: 1, meanTimesBare: 1 };
  const one = { ...again, ...turn, ...beside, peakMb: 0, load: 0, isUnsteady: false, ...times };
  return { system, messages: 10_000, windowTokens: 8000, ...one };
}
