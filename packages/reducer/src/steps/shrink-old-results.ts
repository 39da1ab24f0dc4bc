import { countOption } from "@agent-history/core";

import { proposeResults, shortened } from "../internal/propose-results.ts";
import type { ReductionStep } from "../reduction-step.ts";

/** Why a result is shortened. */
export const SHORTENED = {
  step: "shrink-old-results",
  reason: "a long result of an earlier turn",
};

/** What stays of a result unless the caller says otherwise, in UTF-16 code units. */
export const SHORTENED_LENGTH = 1000;

/**
 * Makes the step that shortens long tool results of earlier turns: JSON stays JSON, text keeps head and tail around one marker.
 *
 * @param options - `characters`: how much of each result stays, in UTF-16 code units. Default 1,000.
 */
export function shrinkOldResults(options: { readonly characters?: number } = {}): ReductionStep {
  const characters = countOption("characters", options.characters ?? SHORTENED_LENGTH);
  return {
    name: SHORTENED.step,
    propose: (situation) =>
      proposeResults(situation, {
        of: ({ isOfThisTurn, isProtected }) => !isOfThisTurn && !isProtected,
        edits: [(entry) => shortened(entry, characters)],
        reason: SHORTENED.reason,
      }),
  };
}
