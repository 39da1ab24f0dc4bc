import type { HistoryEntry } from "@agent-history/core";

/** What is read from a single entry. */
export interface EntryReading {
  /** Its terms, in order and with repetitions. */
  readonly terms: readonly string[];
  /** The topics of its terms. */
  readonly topics: ReadonlySet<number>;
  /** The words of its speaker's name. */
  readonly speaker: readonly string[];
}

/** An entry with its statistics in a history. */
export interface IndexedEntry extends EntryReading {
  readonly entry: HistoryEntry;
  /** The number of distinct terms, at least 1. */
  readonly length: number;
  /** The number of terms weighted by novelty: a term that n earlier entries contain counts 1 / (n + 1). */
  readonly news: number;
}

/** Occurrences of a term. */
interface Occurrences {
  /** The term frequency by entry index. */
  readonly frequencies: Map<number, number>;
  /** The number of stretches of the history that contain it. */
  stretches: number;
  lastStretch: number;
}

/** The index of a history. Append-only. */
export interface HistoryIndex {
  readonly entries: IndexedEntry[];
  readonly terms: Map<string, Occurrences>;
}

/** Creates an empty index. */
function emptyIndex(): HistoryIndex {
  return { entries: [], terms: new Map() };
}

/**
 * The number of consecutive entries in a stretch: about as long as people stay on one subject.
 *
 * @internal Exported for its test.
 */
export const STRETCH_LENGTH = 32;

/** Appends the next entry of a history. */
function extendIndex(index: HistoryIndex, entry: HistoryEntry, reading: EntryReading): void {
  const position = index.entries.length;
  const stretch = Math.floor(position / STRETCH_LENGTH);
  const counts = new Map<string, number>();
  for (const term of reading.terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  let news = 0;
  for (const [term, count] of counts) {
    const known = index.terms.get(term) ?? {
      frequencies: new Map(),
      stretches: 0,
      lastStretch: -1,
    };
    index.terms.set(term, known);
    news += 1 / (known.frequencies.size + 1);
    if (known.lastStretch !== stretch) known.stretches += 1;
    known.lastStretch = stretch;
    known.frequencies.set(position, count);
  }
  index.entries.push({ ...reading, entry, length: Math.max(1, counts.size), news });
}

/** Maximum cached indexes per first entry. */
const MOST_INDEXES = 8;

/**
 * Returns a function that returns the index of a history. Each entry is read once, and a history that has grown is indexed
 * incrementally. Views that begin with the same entry, e.g. those of a team, have separate indexes.
 */
export function historyIndexes(
  read: (entry: HistoryEntry) => EntryReading,
): (entries: readonly HistoryEntry[]) => HistoryIndex {
  const readings = new WeakMap<HistoryEntry, EntryReading>();
  const indexes = new WeakMap<HistoryEntry, readonly HistoryIndex[]>();
  return (entries) => {
    const [first] = entries;
    if (first === undefined) return emptyIndex();
    const known = indexes.get(first) ?? [];
    const index =
      known.find((one) => one.entries.every(({ entry }, nth) => entry === entries[nth])) ??
      emptyIndex();
    const others = known.filter((one) => one !== index);
    indexes.set(first, [index, ...others.slice(0, MOST_INDEXES - 1)]);
    for (const entry of entries.slice(index.entries.length)) {
      const reading = readings.get(entry) ?? read(entry);
      readings.set(entry, reading);
      extendIndex(index, entry, reading);
    }
    return index;
  };
}

/** A question term of at least this length also matches longer terms that begin with it (`paint`, `painting`), with a lower weight. */
const PREFIX_LENGTH = 4;
const PREFIX_WEIGHT = 0.35;

/** BM25's k1 (term frequency saturation) and b (length normalization). */
const SATURATION = 1.2;
const BY_LENGTH = 0.85;

/**
 * Scores each entry by the terms that it shares with a question: BM25, with the rarity of a term as the mean of its rarity
 * among entries and among stretches of the history, 1 for a term that occurs once. Linear in the vocabulary and the matches.
 */
export function matchScores(
  { entries, terms }: HistoryIndex,
  question: ReadonlySet<string>,
): readonly number[] {
  const scores = entries.map(() => 0);
  const lengthSum = entries.reduce((sum, { length }) => sum + length, 0);
  const allStretches = Math.ceil(entries.length / STRETCH_LENGTH);
  for (const [term, { frequencies, stretches }] of terms) {
    const weight = weightOf(term, question);
    if (weight === 0) continue;
    const rarity =
      (relativeRarity(frequencies.size, entries.length) + relativeRarity(stretches, allStretches)) /
      2;
    for (const [index, frequency] of frequencies) {
      const length = ((entries[index]?.length ?? 1) * entries.length) / lengthSum;
      const slack = SATURATION * (1 - BY_LENGTH + BY_LENGTH * length);
      const share = (frequency * (SATURATION + 1)) / (frequency + slack);
      scores[index] = (scores[index] ?? 0) + weight * rarity * share;
    }
  }
  return scores;
}

/** Returns 1 for a term of the question, less for a term that begins with one, otherwise 0. */
function weightOf(term: string, question: ReadonlySet<string>): number {
  let weight = question.has(term) ? 1 : 0;
  for (let length = PREFIX_LENGTH; length < term.length; length++) {
    if (question.has(term.slice(0, length))) weight += PREFIX_WEIGHT;
  }
  return weight;
}

/** The weight of a topic of the question; 1 is the weight of a word that occurs once. */
const TOPIC_WEIGHT = 0.4;

/** Scores each entry by the topics that it shares with a question, regardless of words. Topics of few entries count most. */
export function topicScores(
  { entries }: HistoryIndex,
  question: ReadonlySet<number>,
): readonly number[] {
  const scores = entries.map(() => 0);
  for (const topic of question) {
    const having = [...entries.keys()].filter((index) => entries[index]?.topics.has(topic));
    const worth = TOPIC_WEIGHT * relativeRarity(having.length, entries.length);
    for (const index of having) scores[index] = (scores[index] ?? 0) + worth;
  }
  return scores;
}

/** Returns the relative rarity of something that `having` of `total` have, by BM25's inverse document frequency: from near 0 for all to 1 for one. */
function relativeRarity(having: number, total: number): number {
  const frequency = (some: number): number => Math.log(1 + (total - some + 0.5) / (some + 0.5));
  return frequency(having) / frequency(1);
}

/**
 * Adds to each score a part of its neighbors' on both sides: `share` of the adjacent one, `share` squared of the one after that,
 * and so on. Two passes.
 */
export function spreadScores(scores: readonly number[], share: number): readonly number[] {
  const spread = [...scores];
  for (const order of [[...scores.keys()], [...scores.keys()].toReversed()]) {
    let reaching = 0;
    for (const index of order) {
      spread[index] = (spread[index] ?? 0) + reaching;
      reaching = share * (reaching + (scores[index] ?? 0));
    }
  }
  return spread;
}
