import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";

import { textOfEntry } from "./internal/text-of-entry.ts";

/** The score that each sign of importance adds. */
const WEIGHTS = { pinned: 1, decision: 0.4, correction: 0.4, failure: 0.3, mention: 0.1 } as const;

/** Maximum later mentions counted per entry, and maximum facts read per entry. */
const MAX_MENTIONS = 4;
const MAX_FACTS = 200;

const DECISION =
  /\b(?:decided|decision|agreed|conclusion|we(?:'ll| will) (?:use|go|take)|settled on|approved)\b/iu;
const CORRECTION =
  /\b(?:actually|instead|wrong|incorrect|not what i|i meant|don't|do not|correction|rather)\b/iu;
/** Numbers with at least two digits, paths and file names, identifiers, and capitalized names within a sentence. */
const FACT =
  /\d[\d.,:/-]*\d|\w+(?:[/.]\w+)+|\w+_\w+|\b[a-z]+[A-Z]\w*|(?<=[a-z,] )\p{Lu}\p{L}{2,}/gu;

/**
 * Creates a {@link RelevanceScorer} that scores entries by their content, regardless of the question: pins, decisions, failures, corrections by the user, and numbers and names that
 * later entries mention. Scores are from 0 to 2. Decisions and corrections are recognized in English; the rest works in any language. Linear. Blend it
 * with one that uses the question.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { importanceScorer } from "@agent-history/reducer";
 *
 * const history = [
 *   userMessage({ content: "Good morning!" }),
 *   userMessage({ content: "No, use port 8443 instead." }),
 *   userMessage({ content: "Does 8443 answer?" }),
 * ];
 * importanceScorer().score("", history).map((score) => score > 0);
 * // => [false, true, false]
 * ```
 */
export function importanceScorer(): {
  score(question: string, entries: readonly HistoryEntry[]): readonly number[];
} & RelevanceScorer {
  return { name: "importance", score: (_, entries) => scoresOf(entries) };
}

function scoresOf(entries: readonly HistoryEntry[]): readonly number[] {
  const mentionedLater = new Set<string>();
  const scores: number[] = [];
  for (const entry of entries.toReversed()) {
    const text = textOfEntry(entry);
    const facts = [...new Set(text.match(FACT)?.slice(0, MAX_FACTS))];
    const mentions = facts.filter((fact) => mentionedLater.has(fact)).length;
    scores.push(signsOf(entry, text) + Math.min(mentions, MAX_MENTIONS) * WEIGHTS.mention);
    for (const fact of facts) mentionedLater.add(fact);
  }
  return scores.toReversed();
}

function signsOf(entry: HistoryEntry, text: string): number {
  const hasFailed =
    entry.type === "error" || (entry.type === "observation" && entry.outcome !== "success");
  return (
    (entry.pinned === true ? WEIGHTS.pinned : 0) +
    (hasFailed ? WEIGHTS.failure : 0) +
    (DECISION.test(text) ? WEIGHTS.decision : 0) +
    (entry.type === "user_message" && CORRECTION.test(text) ? WEIGHTS.correction : 0)
  );
}
