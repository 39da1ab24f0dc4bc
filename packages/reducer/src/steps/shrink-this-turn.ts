import { countOption } from "@agent-history/core";

import { cleared, firstSources, proposeResults, shortened } from "../internal/propose-results.ts";
import type { ReductionStep } from "../reduction-step.ts";

/**
 * Makes the step that shortens, then clears, results of this turn's finished exchanges, sources first, oldest first.
 *
 * @param options - `characters`: how much of each result stays at first, in UTF-16 code units. Default 1,000.
 */
export function shrinkThisTurn(options: { readonly characters?: number } = {}): ReductionStep {
  const characters = countOption("characters", options.characters ?? 1000);
  return {
    name: "shrink-this-turn",
    propose: (situation) =>
      proposeResults(situation, {
        of: ({ isOfThisTurn, isProtected }) => isOfThisTurn && !isProtected,
        edits: [
          (entry) => firstSources(entry, 1),
          (entry) => shortened(entry, characters),
          cleared,
        ],
        reason: "a result that this turn has read already",
      }),
  };
}
