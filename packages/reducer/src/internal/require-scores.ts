import type { RelevanceScorer } from "@agent-history/core";

import { stepFailed } from "./step-failed.ts";

/**
 * Returns what a scorer said, where that is one finite score for each entry.
 *
 * @throws `HistoryError` with code `STEP_FAILED`, which names the scorer.
 */
export function requireScores(
  { name }: RelevanceScorer,
  scores: unknown,
  count: number,
): readonly number[] {
  if (isListOfNumbers(scores) && scores.length === count) return scores;
  throw stepFailed(name, `gave no finite score for each of ${count} entries`);
}

function isListOfNumbers(scores: unknown): scores is readonly number[] {
  return Array.isArray(scores) && scores.every((score) => Number.isFinite(score));
}
