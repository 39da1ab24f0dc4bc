import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { ENGLISH_RECALL } from "./internal/english-recall.ts";
import { textOfEntry } from "./internal/text-of-entry.ts";
import type { RecallingScorer } from "./recall.ts";
import { recallBlocks } from "./recall/recall-blocks.ts";

/** Options of {@link embeddingScorer}. */
export interface EmbeddingScorerOptions {
  /** Returns one vector per text, all of the same length. Called with the question and the entries that were not embedded before. */
  readonly embed: (
    texts: readonly string[],
    signal?: AbortSignal,
  ) => Promise<readonly (readonly number[])[]>;
}

/**
 * Creates a scorer from your embedding function. An entry's score is the cosine similarity of its vector and the question's, at least 0;
 * without a question, all scores are 0. Brings recall blocks. Each entry is embedded once and cached weakly. Needs `fitToWindowAsync`.
 */
export function embeddingScorer({ embed }: EmbeddingScorerOptions): RecallingScorer {
  const vectors = new WeakMap<HistoryEntry, readonly number[]>();
  return {
    name: "embedding",
    recall: recallBlocks(ENGLISH_RECALL),
    score: async (question, entries, signal) => {
      // Providers reject empty texts.
      if (question.trim() === "") return entries.map(() => 0);
      const fresh = entries.filter((entry) => !vectors.has(entry));
      const made = await embed([question, ...fresh.map(textOfEntry)], signal);
      const [asked] = made;
      if (asked === undefined || made.length !== fresh.length + 1) {
        throw new HistoryError(
          `Expected \`embed\` to return ${fresh.length + 1} vectors; got ${made.length}.`,
          { code: "STEP_FAILED", details: { step: "embedding", received: made.length } },
        );
      }
      for (const [index, entry] of fresh.entries()) vectors.set(entry, made[index + 1] ?? []);
      return entries.map((entry) => Math.max(0, cosine(asked, vectors.get(entry) ?? [])));
    },
  };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = product(one, other);
  const length = Math.sqrt(product(one, one) * product(other, other));
  return length === 0 ? 0 : dot / length;
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}
