import type { RelevanceScorer } from "@agent-history/core";

import { stepFailed } from "./step-failed.ts";

/**
 * Returns what a scorer said, where that is one finite score for each entry.
 *
 * @throws `HistoryError` with code `STEP_FAILED`, which names the scorer.
 */
export function requireScores(
  { name }: RelevanceScorer,
  scores: readonly number[] | undefined | null,
  count: number,
): readonly number[] {
  const isComplete = scores?.length === count && scores.every((score) => Number.isFinite(score));
  if (isComplete) return scores;
  throw stepFailed(name, `gave no finite score for each of ${count} entries`);
}
