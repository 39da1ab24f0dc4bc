import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";

import type { RecallingScorer } from "./recall.ts";

/** A scorer of a blend, with its weight. */
export interface WeightedScorer {
  readonly scorer: RelevanceScorer & Partial<Pick<RecallingScorer, "recall">>;
  /** Its weight, above 0. */
  readonly weight: number;
}

/**
 * Blends scorers: the scores of each are divided by its highest, weighted and added. Uses the first recall blocks among them. Asynchronous only if one of them is.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no scorer, or a weight is not above 0.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { blendScorers, importanceScorer, recencyScorer } from "@agent-history/reducer";
 *
 * const blend = blendScorers([
 *   { scorer: importanceScorer(), weight: 1 },
 *   { scorer: recencyScorer(), weight: 1 },
 * ]);
 * blend.score("", [userMessage({ content: "We agreed on Rome." }), userMessage({ content: "Fine." })]);
 * // => [1.5, 1]
 * ```
 */
export function blendScorers(
  parts: readonly WeightedScorer[],
): RelevanceScorer & Partial<Pick<RecallingScorer, "recall">> {
  if (parts.length === 0 || !parts.every(({ weight }) => weight > 0 && weight < Infinity)) {
    throw new HistoryError("Expected one or more scorers, each with a `weight` above 0.", {
      code: "INVALID_OPTION",
      details: { option: "weight" },
    });
  }
  const recall = parts.find(({ scorer }) => scorer.recall !== undefined)?.scorer.recall;
  return {
    ...(recall && { recall }),
    name: parts.map(({ scorer }) => scorer.name).join("+"),
    score: (question, entries, signal) => {
      const scored = parts.map(({ scorer }) => scorer.score(question, entries, signal));
      const ready = scored.filter(isReady);
      return ready.length === scored.length
        ? blend(ready, parts, entries)
        : Promise.all(scored.map(async (scores) => scores)).then((all) =>
            blend(all, parts, entries),
          );
    },
  };
}

/** Creates a scorer that prefers newer entries: scores rise evenly from above 0 for the oldest to 1 for the newest. */
export function recencyScorer(): RelevanceScorer {
  return {
    name: "recency",
    score: (_, entries) => entries.map((__, index) => (index + 1) / entries.length),
  };
}

function isReady(
  scores: readonly number[] | Promise<readonly number[]>,
): scores is readonly number[] {
  return !(scores instanceof Promise);
}

function blend(
  scored: readonly (readonly number[])[],
  parts: readonly WeightedScorer[],
  entries: readonly HistoryEntry[],
): readonly number[] {
  const highest = scored.map((scores) => scores.reduce((most, score) => Math.max(most, score), 0));
  return entries.map((_, index) =>
    parts.reduce((sum, { weight }, part) => {
      const most = highest[part] ?? 0;
      return most === 0 ? sum : sum + (weight * (scored[part]?.[index] ?? 0)) / most;
    }, 0),
  );
}
