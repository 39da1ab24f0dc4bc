import type { HistoryEntry } from "@agent-history/core";

import { loseSources } from "../internal/lose-sources.ts";
import { cleared, headAndTail } from "../internal/propose-results.ts";
import { shortenToFit } from "../internal/shorten-to-fit.ts";
import type { ReductionItem, ReductionStep } from "../reduction-step.ts";

const reason = "nothing older is left to give";
/** This many characters of each result stay as long as anything else can go. */
const LEAST = 1000;
/** Below this many a head and a tail say nothing. */
const SHORTEST = 40;

/**
 * Makes the last resort before uploads go: results of the running exchange lose their last sources, and then text, the longest first, down to
 * 1,000 characters each. Results of pinned exchanges that are not pinned themselves go before them.
 */
export function shrinkRunningResults(): ReductionStep {
  return {
    name: "shrink-running-results",
    isLastResort: true,
    *propose(situation) {
      let { excess } = situation;
      for (const results of protectedResults(situation.items)) {
        excess = yield* loseSources(results, situation, { excess, reason });
        const least = { least: LEAST, last: headAndTail(LEAST) };
        excess = yield* shortenToFit(results, situation, { excess, ...least, reason });
      }
    },
  };
}

/** Makes the last resort of all: results that {@link shrinkRunningResults} shortened are shortened further, and cleared in the end. */
export function clearRunningResults(): ReductionStep {
  return {
    name: "clear-running-results",
    isLastResort: true,
    *propose(situation) {
      let { excess } = situation;
      for (const results of protectedResults(situation.items)) {
        const least = { least: SHORTEST, last: cleared() };
        excess = yield* shortenToFit(results, situation, { excess, ...least, reason });
        for (const entry of results) yield { kind: "edit", entry, edit: cleared(), reason };
      }
    },
  };
}

/** The results that may be shortened though their exchange stays: of pinned exchanges, and of the running ones. */
function protectedResults(items: readonly ReductionItem[]): readonly (readonly HistoryEntry[])[] {
  const results = (isRunning: boolean): readonly HistoryEntry[] =>
    items
      .filter((item) => item.isProtected && item.isRunning === isRunning)
      .flatMap(({ entries }) => entries.filter(isUnpinnedResult));
  return [results(false), results(true)];
}

function isUnpinnedResult({ type, pinned }: HistoryEntry): boolean {
  return type === "observation" && pinned !== true;
}
