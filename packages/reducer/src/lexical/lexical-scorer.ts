import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { ENGLISH_RECALL } from "../internal/english-recall.ts";
import { textOfEntry } from "../internal/text-of-entry.ts";
import type { RecallingScorer } from "../recall.ts";
import { recallBlocks } from "../recall/recall-blocks.ts";
import { dateCloseness, mentionedDates } from "./internal/dates.ts";
import { ENGLISH_STOP_WORDS, ENGLISH_TOPICS, englishStem } from "./internal/english.ts";
import {
  historyIndexes,
  matchScores,
  spreadScores,
  topicScores,
} from "./internal/history-index.ts";
import { textWords } from "./internal/text-words.ts";

/** Options of {@link lexicalScorer}. */
export interface LexicalScorerOptions {
  /** Reduces a lowercase word to its stem. Default: Porter's algorithm, for English. */
  readonly stem?: ((word: string) => string) | undefined;
  /** Words to ignore, in lower case and without apostrophes. Default: English stop words. */
  readonly stopWords?: Iterable<string> | undefined;
  /**
   * Groups of words about one topic, e.g. `["food", "meal", "recipe"]`; the first is the topic's name. A question about food then matches entries about
   * recipes. Default: about a hundred topics of everyday and working life, in English. None: `[]`.
   */
  readonly topics?: Iterable<readonly string[]> | undefined;
}

/** A synchronous `RelevanceScorer` that includes recall blocks. */
export interface LexicalScorer extends RecallingScorer {
  score(
    question: string,
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): readonly number[];
}

/** The maximum bonus for each of a named speaker, a mentioned day and new terms; 1 is the weight of a word that occurs once. */
const BONUS = 0.5;

/** The share of its match score that an entry gives to its neighbors: an answer rarely repeats the words of its question. */
const NEIGHBOR_SHARE = 0.6;

/**
 * Creates a scorer that compares words: no model, no network, and the same scores for the same input.
 *
 * A score is the sum of: the terms that an entry shares with the question (BM25 over stems; terms in few entries and few stretches of the
 * history weigh most, at most 1); a share of its neighbors' matches; the topics that it shares with the question (rare topics weigh most, at
 * most 0.4); and up to half a point each if the question names its speaker, if the question mentions its day, and for terms that it is the
 * first to use. The scores are meant for choosing entries one by one, best first, until the budget is used, regardless of their length.
 *
 * Each entry is read once, and a history that has grown is indexed incrementally: one more turn costs its words and one pass over
 * the scores. Caches are held weakly by the entries.
 *
 * @throws `HistoryError` with code `ABORTED`, from `score`, if the signal has fired.
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
  const { stem = englishStem, stopWords = ENGLISH_STOP_WORDS, topics = ENGLISH_TOPICS } = options;
  const saysNothing = new Set(stopWords);
  const termsOf = (text: string): readonly string[] =>
    textWords(text)
      .filter((word) => !saysNothing.has(word))
      .map(stem)
      .filter((term) => term !== "");
  const topicsOfTerm = new Map<string, number[]>();
  for (const [topic, words] of [...topics].entries()) {
    for (const term of new Set(words.flatMap(termsOf))) {
      topicsOfTerm.set(term, [...(topicsOfTerm.get(term) ?? []), topic]);
    }
  }
  const topicsOf = (terms: Iterable<string>): ReadonlySet<number> =>
    new Set([...terms].flatMap((term) => topicsOfTerm.get(term) ?? []));
  const indexOf = historyIndexes((entry) => {
    const terms = termsOf(entryText(entry));
    return { terms, topics: topicsOf(terms), speaker: textWords(speakerOf(entry) ?? "") };
  });

  return {
    name: "lexical",
    recall: recallBlocks(ENGLISH_RECALL),
    score(question, entries, signal) {
      throwIfAborted(signal);
      const index = indexOf(entries);
      const terms = new Set(termsOf(question));
      const words = new Set(textWords(question));
      const dates = mentionedDates(question);
      const matches = spreadScores(matchScores(index, terms), NEIGHBOR_SHARE);
      const onTopic = topicScores(index, topicsOf(terms));
      // The mean of logarithms is robust against a single giant entry.
      const logNews = index.entries.reduce((sum, { news }) => sum + Math.log1p(news), 0);
      const typicalNews = Math.expm1(logNews / entries.length);
      return index.entries.map(({ entry, speaker, news }, nth) => {
        const named = speaker.filter((name) => words.has(name)).length / (speaker.length || 1);
        const closeness = dates.reduce(
          (most, date) => Math.max(most, dateCloseness(date, entry.createdAtMs)),
          0,
        );
        const fresh = news === 0 ? 0 : news / (news + typicalNews);
        const bonus = BONUS * (named + closeness + fresh);
        return (matches[nth] ?? 0) + (onTopic[nth] ?? 0) + bonus;
      });
    },
  };
}

/** How many characters of a text are searched for a label. */
const HEAD_LENGTH = 120;

/** `Ann:`, `[8 May 2023, 13:56] Ann:`, `Ann (13:56):`, `Ann said,`. */
const LABEL =
  /^\s*(?:\[[^\]\n]*\]|\([^)\n]*\))?\s*(?<name>\p{L}[\p{L}\p{M}\p{N}.'’ _-]{0,39}?)\s*(?:\[[^\]\n]*\]|\([^)\n]*\))?(?::\s|：| said[:,]\s)/u;

/** Returns the speaker, if known: the agent, the name in the provider's message, or the label at the start of the text. */
function speakerOf(entry: HistoryEntry): string | undefined {
  if (entry.agent !== undefined) return entry.agent.id;
  const name = entry.origin?.extra?.["name"];
  if (typeof name === "string") return name;
  return LABEL.exec(entryText(entry).slice(0, HEAD_LENGTH))?.groups?.["name"];
}

/** Returns the text of an entry and the names of its files. */
function entryText(entry: HistoryEntry): string {
  const parts = typeof entry.content === "string" ? [] : (entry.content ?? []);
  const files = parts.flatMap((part) => (part.type === "file" ? (part.name ?? []) : []));
  const own = entry.type === "attachment" ? [entry.name ?? ""] : [];
  return [...own, textOfEntry(entry), ...files].join("\n");
}
