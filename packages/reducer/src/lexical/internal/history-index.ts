import type { HistoryEntry } from "@agent-history/core";
import SearchableMap from "minisearch/SearchableMap";

import { textOfEntry } from "../../internal/text-of-entry.ts";
import { headDate } from "./dates.ts";
import { textTerms, textWords } from "./text-terms.ts";
import type { Vocabulary } from "./text-terms.ts";
import { indexTopics } from "./topics.ts";
import type { TopicIndex, Topics } from "./topics.ts";

/** Returns what an entry says, and the names of its files. @internal Exported for its test. */
export function entryText(entry: HistoryEntry): string {
  const parts = typeof entry.content === "string" ? [] : (entry.content ?? []);
  const names = parts.flatMap((part) => (part.type === "file" ? (part.name ?? []) : []));
  const own = entry.type === "attachment" ? [entry.name ?? ""] : [];
  return [...own, textOfEntry(entry), ...names].join("\n").trim();
}

/** How far a label reaches into a text, in characters. */
const HEAD_LENGTH = 120;

/** `Ann:`, `[8 May 2023, 13:56] Ann:`, `Ann (13:56):`, `Ann said,`. */
const LABEL =
  /^\s*(?:\[[^\]\n]*\]|\([^)\n]*\))?\s*(?<name>\p{L}[\p{L}\p{M}\p{N}.'’ _-]{0,39}?)\s*(?:\[[^\]\n]*\]|\([^)\n]*\))?(?::\s|：| said[:,]\s)/u;

/** Names who speaks, if anything does: the agent, the name of the provider's message, or the label that the text begins with. */
export function speakerOf(entry: HistoryEntry): string | undefined {
  if (entry.agent !== undefined) return entry.agent.id;
  const name = entry.origin?.extra?.["name"];
  if (typeof name === "string") return name;
  return LABEL.exec(entryText(entry).slice(0, HEAD_LENGTH))?.groups?.["name"];
}

/** What is known of an entry by itself. */
export interface EntryReading {
  /** Its terms, repeated as they stand. */
  readonly terms: readonly string[];
  /** The words of its speaker's name. */
  readonly speaker: readonly string[];
  /** The day that its text is headed by, in epoch milliseconds. */
  readonly headDateMs?: number;
}

/** Reads an entry. Linear in its text. */
export function readEntry(
  entry: HistoryEntry,
  vocabulary: Vocabulary,
  nameOf: (entry: HistoryEntry) => string | undefined,
): EntryReading {
  const text = entryText(entry);
  const headDateMs = isMessage(entry) ? headDate(text) : undefined;
  return {
    terms: textTerms(text, vocabulary),
    speaker: textWords(nameOf(entry) ?? ""),
    ...(headDateMs !== undefined && { headDateMs }),
  };
}

/** What people and models say; a date at the head of a tool's output dates nothing but that output. */
function isMessage({ type }: HistoryEntry): boolean {
  return type === "user_message" || type === "assistant_message";
}

/** The terms of a history, and where they occur. It only grows. */
export interface TermIndex {
  readonly terms: Map<string, TermOccurrences>;
  /** The same, found by how a term begins. */
  readonly byBeginning: SearchableMap<TermOccurrences>;
  /** How many different terms each entry has; one without terms counts as one long, as in MiniSearch. */
  readonly lengths: number[];
  /** The mean of the lengths, kept as MiniSearch keeps it. */
  meanLength: number;
}

/** Where a term occurs. */
export interface TermOccurrences {
  /** The indexes of the entries that have it, in order. */
  readonly indexes: number[];
  /** How often each of them does. */
  readonly frequencies: number[];
  /** The topics that it belongs to. */
  readonly topics: readonly number[];
  /** How many stretches of the history have it. */
  stretches: number;
  lastStretch: number;
}

const NO_TOPICS: readonly number[] = [];

/** Makes an index without terms. */
function emptyTermIndex(): TermIndex {
  return { terms: new Map(), byBeginning: new SearchableMap(), lengths: [], meanLength: 0 };
}

/**
 * Adds the terms of the next entry, repeated as they stand. Returns each different one, and how much of them is new: one that n
 * entries before it have counts 1 / (n + 1).
 */
function addTerms(
  index: TermIndex,
  terms: readonly string[],
  stretch: number,
  topics: Topics,
): { readonly different: readonly TermOccurrences[]; readonly news: number } {
  const entryIndex = index.lengths.length;
  const different: TermOccurrences[] = [];
  let news = 0;
  for (const term of terms) {
    const known = index.terms.get(term) ?? newTerm(index, term, topics);
    const { indexes, frequencies } = known;
    const last = indexes.length - 1;
    if (indexes[last] === entryIndex) {
      frequencies[last] = (frequencies[last] ?? 0) + 1;
      continue;
    }
    news += 1 / (indexes.length + 1);
    indexes.push(entryIndex);
    frequencies.push(1);
    if (known.lastStretch !== stretch) known.stretches += 1;
    known.lastStretch = stretch;
    different.push(known);
  }
  const length = Math.max(1, different.length);
  index.meanLength = (index.meanLength * entryIndex + length) / (entryIndex + 1);
  index.lengths.push(length);
  return { different, news };
}

function newTerm(index: TermIndex, term: string, { ofTerm }: Topics): TermOccurrences {
  const topics = ofTerm.get(term) ?? NO_TOPICS;
  const occurrences = { indexes: [], frequencies: [], topics, stretches: 0, lastStretch: -1 };
  index.terms.set(term, occurrences);
  index.byBeginning.set(term, occurrences);
  return occurrences;
}

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

/** Makes the index of a history without entries. @internal Exported for its test. */
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

/** Adds the next entry of the history. @internal Exported for its test. */
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

/** Of this many views that begin with the same entry an index is kept. */
const MOST_INDEXES = 8;

/**
 * Makes a function that gives the index of a history. An entry is read once, and a history that grew is indexed from where
 * it ended. Both are remembered weakly, indexes by the first entry: with it they go. Views that begin with the same entry have an index each, the
 * last few of them.
 */
export function historyIndexes(
  read: (entry: HistoryEntry) => EntryReading,
  topics: Topics,
): (entries: readonly HistoryEntry[]) => HistoryIndex {
  const readings = new WeakMap<HistoryEntry, EntryReading>();
  const indexes = new WeakMap<HistoryEntry, readonly HistoryIndex[]>();

  return (entries) => {
    const [first] = entries;
    if (first === undefined) return emptyIndex();
    const known = indexes.get(first) ?? [];
    const index = known.find((one) => begins(one, entries)) ?? emptyIndex();
    const others = known.filter((one) => one !== index);
    indexes.set(first, [index, ...others.slice(0, MOST_INDEXES - 1)]);
    for (const entry of entries.slice(index.entries.length)) {
      const reading = readings.get(entry) ?? read(entry);
      readings.set(entry, reading);
      extendIndex(index, entry, reading, topics);
    }
    return index;
  };
}

/** Returns whether what is indexed is how the history begins. */
function begins(index: HistoryIndex, entries: readonly HistoryEntry[]): boolean {
  return index.entries.every(({ entry }, position) => entry === entries[position]);
}
