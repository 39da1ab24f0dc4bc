import type { HistoryEntry } from "@agent-history/core";

import type { EntryReading } from "./read-entry.ts";
import { addTerms, emptyTermIndex } from "./term-index.ts";
import type { TermIndex } from "./term-index.ts";
import { indexTopics } from "./topic-index.ts";
import type { TopicIndex, Topics } from "./topic-index.ts";

/** How many entries in a row make a stretch of a thread: about as long as people stay with a subject. */
export const STRETCH_LENGTH = 32;

/** What is known of a history. It only grows. */
export interface HistoryIndex {
  readonly entries: IndexedEntry[];
  readonly terms: TermIndex;
  readonly topics: TopicIndex;
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

/** Makes the index of a history without entries. */
export function emptyIndex(): HistoryIndex {
  return {
    entries: [],
    terms: emptyTermIndex(),
    topics: new Map(),
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
  const stretch = Math.floor(position / STRETCH_LENGTH);
  const { different, news } = addTerms(index.terms, reading.terms, stretch, topics);
  for (const term of different) indexTopics(index.topics, position, term.topics);
  index.lastHeadMs = reading.headDateMs ?? index.lastHeadMs;
  const instantsMs = [
    entry.createdAtMs,
    ...(index.lastHeadMs === undefined ? [] : [index.lastHeadMs]),
  ];
  index.lengthSum += different.length;
  index.entries.push({
    entry,
    length: different.length,
    speaker: reading.speaker,
    news,
    instantsMs,
  });
  index.logNewsSum += Math.log1p(news);
}
