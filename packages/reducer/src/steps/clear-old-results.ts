import { cleared, proposeResults } from "../internal/propose-results.ts";
import type { ReductionStep } from "../reduction-step.ts";

/** Why a result is cleared. */
export const CLEARED = { step: "clear-old-results", reason: "a result of an earlier turn" };

/** Makes the step that clears tool results of earlier turns to a line that says how large they were. */
export function clearOldResults(): ReductionStep {
  return {
    name: CLEARED.step,
    propose: (situation) =>
      proposeResults(situation, {
        of: ({ isOfThisTurn, isProtected }) => !isOfThisTurn && !isProtected,
        edits: [cleared],
        reason: CLEARED.reason,
      }),
  };
}
