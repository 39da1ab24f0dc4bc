import { pathParts } from "../documents/path-parts.ts";
import { terms } from "../language/terms.ts";
import { closeness } from "./coverage.ts";
import type { Evidence } from "./evidence.ts";
import type { Standings } from "./standings.ts";
import type { Topic } from "./topic.ts";

/** Evidence and how much it tells. */
export interface WeighedEvidence {
  readonly evidence: Evidence;
  readonly score: number;
}

/** What is kept. */
export interface KeepBestOptions {
  readonly maxCount: number;
  /** How good a document must be, as a share of the best one, and each piece, of the best of its document. Default 0: all. */
  readonly minShare?: number;
  /** How many pieces of a document follow each other before the next document has its turn. Default 1. */
  readonly perTurn?: number;
  /** How documents stand. Default: all alike. */
  readonly standings?: Standings;
}

/** What a file that the request names is worth. */
const NAMED_FILE_FACTOR = 3;
/** What is certain of a standing, however little the words of its document tell. */
const STANDING_SHARE = 0.5;
/** Which share of the terms of a topic a document must cover, in whatever words, to be about it at all. */
const MIN_COVERED = 0.4;
/** A longer question says the same in more words. */
const MAX_TERMS = 6;

/**
 * Keeps what tells most of a topic, each text once: the documents that tell most in turn, of each its best pieces. Equals stay in
 * their order.
 */
export function keepBest(
  weighed: readonly WeighedEvidence[],
  topic: Topic,
  options: KeepBestOptions,
): readonly Evidence[] {
  const { maxCount, minShare = 0, perTurn = 1, standings } = options;
  const documents = weighDocuments(weighed, topic, minShare);
  const highest = Math.max(Number.EPSILON, ...documents.map(({ score }) => score));
  const ranked = documents
    .filter(({ score }) => score >= highest * minShare)
    .map(({ path, score, pieces }) => {
      const standing = standings === undefined ? 1 : (standings.get(path) ?? 0);
      const told = standings === undefined ? 0 : STANDING_SHARE;
      const factor = topic.paths.includes(path) ? NAMED_FILE_FACTOR : 1;
      return { pieces, score: standing * (told + ((1 - told) * score) / highest) * factor };
    })
    .toSorted((a, b) => b.score - a.score);
  const kept = ranked.map(({ pieces }) => pieces);
  return withoutEchoes(inTurn(kept, perTurn)).slice(0, maxCount);
}

/** A document, how much its best piece tells, and its pieces, best first. */
interface WeighedDocument {
  readonly path: string;
  readonly score: number;
  readonly pieces: readonly Evidence[];
}

/** Weighs the documents that are about a topic: one common word is an accident, two of five terms are not. */
function weighDocuments(
  weighed: readonly WeighedEvidence[],
  topic: Topic,
  minShare: number,
): readonly WeighedDocument[] {
  const wanted = Math.min(topic.terms.size, MAX_TERMS) * MIN_COVERED;
  return [...Map.groupBy(weighed, ({ evidence }) => evidence.path)].flatMap(([path, found]) => {
    const best = found.toSorted((a, b) => b.score - a.score);
    const least = (best[0]?.score ?? 0) * minShare;
    const pieces = best.filter(({ score }) => score >= least).map(({ evidence }) => evidence);
    const covered = coveredTerms(path, pieces, topic);
    const isAboutTopic = topic.paths.includes(path) || (covered > 0 && covered >= wanted);
    if (!isAboutTopic) return [];
    return [{ path, score: best[0]?.score ?? 0, pieces }];
  });
}

/** How many terms of a topic the evidence of a document covers together, each by how near it comes. */
function coveredTerms(path: string, pieces: readonly Evidence[], topic: Topic): number {
  const texts = pieces.map(({ title, quote }) => `${title} ${quote.join(" ")}`);
  const words = new Set(terms([pathParts(path).name, ...texts].join(" ")));
  return [...topic.terms].reduce((sum, term) => sum + closeness(term, words), 0);
}

/** From each list its first ones, then from each its next ones, until all are taken. */
function inTurn<T>(lists: readonly (readonly T[])[], perTurn: number): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: Math.ceil(longest / perTurn) }, (_, turn) => turn * perTurn);
  return turns.flatMap((start) => lists.flatMap((list) => list.slice(start, start + perTurn)));
}

/** A copy of a text says nothing new. */
function withoutEchoes(evidence: readonly Evidence[]): readonly Evidence[] {
  const said = new Set<string>();
  return evidence.filter(({ quote }) => {
    const words = quote.join("\n");
    const isNew = !said.has(words);
    said.add(words);
    return isNew;
  });
}
