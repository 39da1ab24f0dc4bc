import type { HistoryEntry } from "@agent-history/core";
import MiniSearch from "minisearch";

import type { EntryReading } from "./read-entry.ts";
import { indexTopics } from "./topic-index.ts";
import type { TopicIndex, Topics } from "./topic-index.ts";

/** How many entries in a row make a stretch of a thread: about as long as people stay with a subject. */
export const STRETCH_LENGTH = 32;

/** What is known of a history. It only grows. */
export interface HistoryIndex {
  readonly entries: IndexedEntry[];
  readonly terms: Map<string, TermCounts>;
  readonly topics: TopicIndex;
  /** Finds entries by their terms. */
  readonly matcher: MiniSearch<MatchedDocument>;
  /** The sum of `log(1 + news)`, whose mean tells what is typical; a giant entry hardly moves it. */
  logNewsSum: number;
  /** The sum of the entries' lengths. */
  lengthSum: number;
  /** The day that the last message with a date at its head names, in epoch milliseconds. */
  lastHeadMs: number | undefined;
}

/** What is known of an entry in its history. */
export interface IndexedEntry {
  readonly entry: HistoryEntry;
  /** How many different terms it has. */
  readonly length: number;
  readonly speaker: readonly string[];
  /** How many terms it says for the first time; one that n entries before it have counts 1 / (n + 1). */
  readonly news: number;
  /** When it was written: by its `createdAtMs`, and by the last message headed by a date, if there was one. In epoch milliseconds. */
  readonly instantsMs: readonly number[];
}

/** How many entries, and how many stretches of the history, have a term. */
export interface TermCounts {
  readonly entries: number;
  readonly stretches: number;
  readonly lastStretch: number;
}

interface MatchedDocument {
  /** The place of the entry in the history. */
  readonly id: number;
  /** Its terms, with spaces between. */
  readonly terms: string;
}

/** Makes the index of a history without entries. */
export function emptyIndex(): HistoryIndex {
  const matcher = new MiniSearch<MatchedDocument>({
    fields: ["terms"],
    tokenize: (terms) => terms.split(" "),
    processTerm: (term) => term,
  });
  return {
    entries: [],
    terms: new Map(),
    topics: new Map(),
    matcher,
    logNewsSum: 0,
    lengthSum: 0,
    lastHeadMs: undefined,
  };
}

/** Adds the next entry of the history. */
export function extendIndex(
  index: HistoryIndex,
  entry: HistoryEntry,
  reading: EntryReading,
  topics: Topics,
): void {
  const position = index.entries.length;
  const terms = new Set(reading.terms);
  const news = count(index.terms, terms, Math.floor(position / STRETCH_LENGTH));
  indexTopics(index.topics, position, terms, topics);
  index.lastHeadMs = reading.headDateMs ?? index.lastHeadMs;
  const instantsMs = [
    entry.createdAtMs,
    ...(index.lastHeadMs === undefined ? [] : [index.lastHeadMs]),
  ];
  index.lengthSum += terms.size;
  index.entries.push({ entry, length: terms.size, speaker: reading.speaker, news, instantsMs });
  index.logNewsSum += Math.log1p(news);
  index.matcher.add({ id: position, terms: reading.terms.join(" ") });
}

/** Counts terms in, and tells how much of them is new. */
function count(
  counts: Map<string, TermCounts>,
  terms: ReadonlySet<string>,
  stretch: number,
): number {
  let news = 0;
  for (const term of terms) {
    const before = counts.get(term) ?? { entries: 0, stretches: 0, lastStretch: -1 };
    news += 1 / (before.entries + 1);
    counts.set(term, {
      entries: before.entries + 1,
      stretches: before.stretches + (before.lastStretch === stretch ? 0 : 1),
      lastStretch: stretch,
    });
  }
  return news;
}
