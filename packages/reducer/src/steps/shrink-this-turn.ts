import { countOption } from "@agent-history/core";

import { firstSources, headAndTail, proposeResults } from "../internal/propose-results.ts";
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
    *propose(situation) {
      const of = ({
        isOfThisTurn,
        isRunning,
      }: {
        isOfThisTurn: boolean;
        isRunning: boolean;
      }): boolean => isOfThisTurn && !isRunning;
      const reason = "a result that this turn has read already";
      yield* proposeResults(situation, { of, edit: (entry) => firstSources(entry, 1), reason });
      yield* proposeResults(situation, { of, edit: () => headAndTail(characters), reason });
      yield* proposeResults(situation, { of, edit: () => ({ clear: true }), reason });
    },
  };
}
