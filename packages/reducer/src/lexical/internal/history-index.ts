import type { HistoryEntry } from "@agent-history/core";

/** What is known of an entry by itself. */
export interface EntryReading {
  /** Its terms, repeated as they stand. */
  readonly terms: readonly string[];
  /** The topics that it speaks of. */
  readonly topics: ReadonlySet<number>;
  /** The words of its speaker's name. */
  readonly speaker: readonly string[];
}

/** What is known of an entry in its history. */
export interface IndexedEntry extends EntryReading {
  readonly entry: HistoryEntry;
  /** How many different terms it has, at least 1. */
  readonly length: number;
  /** How many terms it says for the first time; one that n entries before it have counts 1 / (n + 1). */
  readonly news: number;
}

/** Where a term occurs. */
interface Occurrences {
  /** How often each entry has it, by its index. */
  readonly frequencies: Map<number, number>;
  /** How many stretches of the history have it. */
  stretches: number;
  lastStretch: number;
}

/** What is known of a history. It only grows. */
export interface HistoryIndex {
  readonly entries: IndexedEntry[];
  readonly terms: Map<string, Occurrences>;
}

/** Makes the index of a history without entries. */
function emptyIndex(): HistoryIndex {
  return { entries: [], terms: new Map() };
}

/** How many entries in a row make a stretch of a thread: about as long as people stay with a subject. */
export const STRETCH_LENGTH = 32;

/** Adds the next entry of the history. */
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

/** Of this many views that begin with the same entry an index is kept. */
const MOST_INDEXES = 8;

/**
 * Makes a function that gives the index of a history. An entry is read once, and a history that grew is indexed from where
 * it ended. Views that begin with the same entry, such as those of a team, have an index each.
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

/** From this length on, a term also finds those that begin with it (`paint`, `painting`), for a part of their weight. */
const PREFIX_LENGTH = 4;
const PREFIX_WEIGHT = 0.35;

/** How soon more of a term adds nothing, and how much the length of an entry takes from it: k1 and b of BM25. */
const SATURATION = 1.2;
const BY_LENGTH = 0.85;

/**
 * Scores each entry by the terms it shares with a question: BM25, where the rarity of a term is the mean of its rarity
 * among entries and among stretches of the history, and 1 for a term that occurs once. Linear in the vocabulary and in what is found.
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

/** Returns 1 for a term that a question has, less for one that begins with such a term, else 0. */
function weightOf(term: string, question: ReadonlySet<string>): number {
  let weight = question.has(term) ? 1 : 0;
  for (let length = PREFIX_LENGTH; length < term.length; length++) {
    if (question.has(term.slice(0, length))) weight += PREFIX_WEIGHT;
  }
  return weight;
}

/** How much a topic of the question is worth; 1 is a word that occurs once. */
const TOPIC_WEIGHT = 0.4;

/** Scores each entry by the topics that it shares with a question, whatever the words. What few entries speak of counts most. */
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

/** The rarity of what this many of all have, by the inverse document frequency of BM25: from near 0 for all to 1 for one. */
function relativeRarity(having: number, total: number): number {
  const frequency = (some: number): number => Math.log(1 + (total - some + 0.5) / (some + 0.5));
  return frequency(having) / frequency(1);
}

/**
 * Lends each score to its neighbors on both sides: `share` of it to the next, the square of `share` to the one after,
 * and so on. Two passes, whatever the reach.
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
