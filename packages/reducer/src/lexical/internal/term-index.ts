import SearchableMap from "minisearch/SearchableMap";

import type { Topics } from "./topic-index.ts";

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
export function emptyTermIndex(): TermIndex {
  return { terms: new Map(), byBeginning: new SearchableMap(), lengths: [], meanLength: 0 };
}

/**
 * Adds the terms of the next entry, repeated as they stand. Returns each different one, and how much of them is new: one that n
 * entries before it have counts 1 / (n + 1).
 */
export function addTerms(
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
