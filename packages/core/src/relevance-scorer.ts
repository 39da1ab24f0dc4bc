import type { HistoryEntry } from "./history-entry.ts";

/**
 * Ranks entries by relevance to a question.
 *
 * Laws: one score for each entry, in order, finite, from 0 (no help) up; higher helps more; scores are comparable
 * within one call only. Inputs are not changed; same input, same scores (L8).
 */
export interface RelevanceScorer {
  readonly name: string;
  score(
    question: string,
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): readonly number[] | Promise<readonly number[]>;
}
