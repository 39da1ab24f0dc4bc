import { isHistoryError, mendHistory } from "@agent-history/core";
import type { HistoryEntry, Reduction } from "@agent-history/core";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryLongHistory } from "../test-support/arbitrary-long-history.ts";
import { arbitraryTalk } from "../test-support/arbitrary-talk.ts";
import { options } from "../test-support/character-counter.ts";
import { turnFaults } from "../test-support/turn-faults.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { mendAsPlanned } from "./internal/mend-as-planned.ts";

const RUNS = { numRuns: lawRuns(800) };

const history = fc.oneof(
  { weight: 2, arbitrary: arbitraryTalk() },
  { weight: 1, arbitrary: arbitraryLongHistory() },
  { weight: 1, arbitrary: arbitraryHistory().map((entries) => mendHistory(entries).entries) },
);
const tokens = fc.integer({ min: 40, max: 1200 });

describe("fitToWindow, turns", () => {
  it("keeps turns whole, the newest entry and the order of roles for whoever looks (L15, L16)", () => {
    fc.assert(
      fc.property(history, tokens, fc.nat(), (entries, contextTokens, nth) => {
        const agents = [undefined, ...new Set(entries.map(({ agent }) => agent?.id))];
        const agentId = agents[nth % agents.length];
        const viewer = agentId === undefined ? {} : { agentId };
        const fitted = attempt(entries, { ...options(contextTokens), viewer });
        if (fitted !== undefined) expect(faultsOf(entries, fitted, viewer)).toEqual([]);
      }),
      RUNS,
    );
  });
});

function attempt(entries: readonly HistoryEntry[], fit: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, fit);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

function faultsOf(
  entries: readonly HistoryEntry[],
  { entries: fitted, plan }: Reduction,
  viewer: { readonly agentId?: string } = {},
): readonly string[] {
  return turnFaults(mendAsPlanned(entries, plan).entries, fitted, viewer);
}
