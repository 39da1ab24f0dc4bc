import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { ENGLISH_RECALL } from "../internal/english-recall.ts";
import type { RecallingScorer } from "../recall.ts";
import { recallBlocks } from "../recall/recall-blocks.ts";
import { dateCloseness, mentionedDates } from "./internal/dates.ts";
import type { MentionedDate } from "./internal/dates.ts";
import { ENGLISH_TOPICS } from "./internal/english-topics.ts";
import { ENGLISH_STOP_WORDS, englishStem } from "./internal/english-words.ts";
import { historyIndexes, readEntry, speakerOf } from "./internal/history-index.ts";
import { matchScores, spreadScores, topicScores } from "./internal/match-scores.ts";
import { createVocabulary, textTerms, textWords } from "./internal/text-terms.ts";
import { readTopics } from "./internal/topics.ts";

/** Options of {@link lexicalScorer}. */
export interface LexicalScorerOptions {
  /** Reduces a word, in lower case, to what its forms have in common. Default: Porter's stems, for English. */
  readonly stem?: ((word: string) => string) | undefined;
  /** Words that say nothing, in lower case and without apostrophes. Default: those of English. */
  readonly stopWords?: Iterable<string> | undefined;
  /**
   * Words that speak of one thing, such as `["food", "meal", "recipe"]`; the first names it. A question about food then finds who speaks of
   * recipes. Default: a hundred topics of everyday and working life, in English. None: `[]`.
   */
  readonly topics?: Iterable<readonly string[]> | undefined;
  /**
   * The share of its match that an entry lends to the ones beside it, which lend the same share of that further on: an
   * answer rarely repeats the words of its question. From 0 (nothing) to below 1. Default 0.6.
   */
  readonly neighborShare?: number | undefined;
  /**
   * Names who speaks. Default: the agent's id, the name that the provider's message bore, or a label that the text begins
   * with (`Ann: …`, `[8 May 2023] Ann: …`).
   */
  readonly speakerOf?: (entry: HistoryEntry) => string | undefined;
}

/** A `RelevanceScorer` that answers at once, and brings recall blocks. */
export interface LexicalScorer extends RecallingScorer {
  score(
    question: string,
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): readonly number[];
}

/** What a named speaker, a mentioned day and all the news in the world are worth; 1 is a word that occurs once. */
const BONUS = 0.5;

/** Of the dates that a question mentions, this many are looked for. */
const MOST_DATES = 8;

/**
 * Makes a scorer that compares words: no model, no network, and the same scores for the same input.
 *
 * A score adds up what the words of an entry share with the question (BM25 over stems; a word that few entries and few
 * stretches of the history have counts most, at most 1), what its neighbors lend it of theirs, what it says of the topics that the question
 * touches (the fewer speak of one, the more, at most about 1), and half a point each where the
 * question names its speaker, where it mentions its day, and, in part, for what it says for the first time. The scores
 * are made for choosing the best one by one until the budget is spent, each entry by itself, whatever its length.
 *
 * Entries are read once, and a history that grew is indexed from where it ended: one more turn costs its words and a look at
 * the scores. What is remembered goes with the entries.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `neighborShare` is not from 0 to below 1; `ABORTED`, from `score`,
 * where the signal has fired.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { lexicalScorer } from "@agent-history/reducer/lexical";
 *
 * const history = [
 *   userMessage({ id: "u1", content: "I saw two paintings by Klee and loved them." }),
 *   assistantMessage({ id: "a1", content: "He taught at the Bauhaus." }),
 *   userMessage({ id: "u2", content: "Will it rain?" }),
 *   assistantMessage({ id: "a2", content: "No." }),
 * ];
 * const scores = lexicalScorer().score("Whose painting did I love?", history);
 * history.map(({ id }) => id).toSorted((a, b) => scoreOf(b) - scoreOf(a));
 * // => ["u1", "a1", "u2", "a2"]
 *
 * function scoreOf(id: string): number {
 *   return scores[history.findIndex((entry) => entry.id === id)] ?? 0;
 * }
 * ```
 */
export function lexicalScorer(options: LexicalScorerOptions = {}): LexicalScorer {
  const { stem = englishStem, stopWords = ENGLISH_STOP_WORDS, neighborShare = 0.6 } = options;
  requireShare(neighborShare);
  const vocabulary = createVocabulary(stem, stopWords);
  const nameOf = options.speakerOf ?? speakerOf;
  const topics = readTopics(options.topics ?? ENGLISH_TOPICS, (text) =>
    textTerms(text, vocabulary),
  );
  const indexOf = historyIndexes((entry) => readEntry(entry, vocabulary, nameOf), topics);

  return {
    name: "lexical",
    recall: recallBlocks(ENGLISH_RECALL),
    score(question, entries, signal) {
      throwIfAborted(signal);
      const index = indexOf(entries);
      const terms = new Set(textTerms(question, vocabulary));
      const matches = matchScores(index, terms);
      const onTopic = topicScores(index, terms, topics);
      const words = new Set(textWords(question));
      const dates = mentionedDates(question).dates.slice(0, MOST_DATES);
      const typicalNews = Math.expm1(index.logNewsSum / entries.length);
      return spreadScores(matches, neighborShare).map((score, position) => {
        const known = index.entries[position];
        if (known === undefined) return score;
        const { news, speaker, instantsMs } = known;
        const named = shareOf(speaker, words);
        const dated = closeness(dates, instantsMs);
        const fresh = news === 0 ? 0 : news / (news + typicalNews);
        return score + (onTopic[position] ?? 0) + BONUS * (named + dated + fresh);
      });
    },
  };
}

function shareOf(names: readonly string[], words: ReadonlySet<string>): number {
  if (names.length === 0) return 0;
  return names.filter((name) => words.has(name)).length / names.length;
}

function closeness(dates: readonly MentionedDate[], instantsMs: readonly number[]): number {
  let closest = 0;
  for (const date of dates)
    for (const instantMs of instantsMs) closest = Math.max(closest, dateCloseness(date, instantMs));
  return closest;
}

function requireShare(value: unknown): void {
  if (typeof value === "number" && value >= 0 && value < 1) return;
  const received = typeof value === "number" ? String(value) : typeof value;
  throw new HistoryError(
    `Expected \`neighborShare\` to be a number from 0 to below 1; got ${received}. 0 adds nothing to neighbors.`,
    { code: "INVALID_OPTION", details: { option: "neighborShare", received } },
  );
}
