import type { ObservationEntry } from "@agent-history/core";

import {
  cleared,
  firstSources,
  halvings,
  headAndTail,
  proposeResults,
} from "../internal/propose-results.ts";
import type { ReductionItem, ReductionStep } from "../reduction-step.ts";

/** Makes the last resort: results of the running exchange lose sources, are shortened again and again, and cleared in the end. */
export function shrinkRunningResults(): ReductionStep {
  return {
    name: "shrink-running-results",
    isLastResort: true,
    propose: (situation) => {
      const of = ({ isRunning }: ReductionItem): boolean => isRunning;
      const longest = Math.max(0, ...situation.items.filter(of).map(({ tokens }) => tokens * 8));
      return proposeResults(situation, {
        of,
        edits: [
          ...halvings(MOST_SOURCES, 1).map(
            (count) => (entry: ObservationEntry) => firstSources(entry, count),
          ),
          ...halvings(longest, 40).map((characters) => () => headAndTail(characters)),
          cleared,
        ],
        reason: "nothing older is left to give",
      });
    },
  };
}

/** So many sources stay at first. */
const MOST_SOURCES = 512;
