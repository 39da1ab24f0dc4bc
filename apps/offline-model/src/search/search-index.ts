import MiniSearch from "minisearch";

import { documentHeading } from "../documents/document-heading.ts";
import type { Document, FileKind } from "../documents/document.ts";
import { fileKind } from "../documents/file-kind.ts";
import { isEvidence } from "../documents/is-evidence.ts";
import { pathParts } from "../documents/path-parts.ts";
import { terms } from "../language/terms.ts";
import { alternativesOf } from "../language/thesaurus.ts";
import { passageLines } from "./passage.ts";
import type { Passage } from "./passage.ts";
import { scorePassages } from "./score-passages.ts";
import type { IndexedText } from "./score-passages.ts";
import { splitPassages } from "./split-passages.ts";
import type { WordCount, WordCounts } from "./word-counts.ts";

/** Finds passages by words. */
export interface SearchIndex {
  /** The best passages first; equal ones in the order of the folder. What is no evidence (tests, changes) is not found. */
  readonly search: (query: string, options?: SearchOptions) => readonly Passage[];
  /** The passages of one document, in its order. */
  readonly passagesOf: (path: string) => readonly Passage[];
  /** In how many passages each word of a query stands. */
  readonly count: (query: string) => WordCounts;
}

/** Narrows a search. */
export interface SearchOptions {
  /** Which documents are searched. Default: all. */
  readonly accepts?: (document: Document) => boolean;
  /** How many passages. Default 8. */
  readonly maxPassages?: number;
  /** How many of them may be of one document. Default 3. */
  readonly maxPerDocument?: number;
}

/** What a thing is stands where it is declared and explained; prose explains too; other code only uses it. */
const KIND_WEIGHT = {
  explained: 1,
  declared: 0.75,
  comment: 0.9,
  prose: 1,
  example: 0.8,
  mention: 0.55,
};
const FILE_WEIGHT: Readonly<Record<FileKind, number>> = { prose: 1, code: 1, data: 0.4 };

/**
 * Builds the index of a folder. Lexical: BM25 over passages and over whole documents, with titles, file names and folders as fields
 * of their own. A word is found also where another that means nearly the same stands.
 */
export function searchIndex(documents: readonly Document[]): SearchIndex {
  const known = indexes.get(documents);
  if (known !== undefined) return known;
  const index = buildIndex(documents);
  indexes.set(documents, index);
  return index;
}

/** Documents never change, so one index of them serves every team. */
const indexes = new WeakMap<readonly Document[], SearchIndex>();

function buildIndex(documents: readonly Document[]): SearchIndex {
  const byPath = new Map(documents.map((document) => [document.path, splitPassages(document)]));
  const passages = [...byPath.values()].flat();
  const frequencies = new Map<string, number>();
  const ofPassages = textEngine();
  const ofDocuments = textEngine();
  for (const [id, passage] of passages.entries()) {
    if (!isEvidence(passage.document.path)) continue;
    const indexed = indexPassage(id, passage);
    ofPassages.add(indexed);
    for (const term of new Set(terms(`${indexed.text} ${indexed.name}`))) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    }
  }
  for (const [id, document] of documents.entries()) {
    if (isEvidence(document.path)) ofDocuments.add(indexDocument(id, document));
  }
  const documentIds = new Map(documents.map(({ path }, id) => [path, id]));
  const documentOf = passages.map(({ document: { path } }) => documentIds.get(path) ?? -1);
  return {
    search: (query, options = {}) => {
      const { accepts = (): boolean => true, maxPassages = 8, maxPerDocument = 3 } = options;
      const scores = scorePassages(query, { ofPassages, ofDocuments, documentOf });
      const ranked = passages
        .map((passage, id) => ({ passage, score: (scores[id] ?? 0) * weight(passage) }))
        .filter(({ passage, score }) => score > 0 && accepts(passage.document))
        .toSorted((a, b) => b.score - a.score);
      return spread(
        ranked.map(({ passage }) => passage),
        maxPerDocument,
      ).slice(0, maxPassages);
    },
    passagesOf: (path) => byPath.get(path) ?? [],
    count: (query) => ({
      passages: passages.length,
      counts: new Map([...new Set(terms(query))].map((term) => [term, countOf(term, frequencies)])),
    }),
  };
}

function countOf(term: string, frequencies: ReadonlyMap<string, number>): WordCount {
  const others = [...alternativesOf(term)].map((each) => frequencies.get(each) ?? 0);
  return { own: frequencies.get(term) ?? 0, others: Math.max(0, ...others) };
}

function textEngine(): MiniSearch<IndexedText> {
  return new MiniSearch<IndexedText>({
    fields: ["text", "title", "name", "folder"],
    tokenize: (text) => [...terms(text)],
    processTerm: (term) => term,
  });
}

function indexPassage(id: number, passage: Passage): IndexedText {
  const { folder, name } = pathParts(passage.document.path);
  return { id, text: passageLines(passage).join("\n"), title: passage.title ?? "", name, folder };
}

function indexDocument(id: number, document: Document): IndexedText {
  const { folder, name } = pathParts(document.path);
  return { id, text: document.lines.join("\n"), title: documentHeading(document), name, folder };
}

function weight({ kind, document }: Passage): number {
  return KIND_WEIGHT[kind] * FILE_WEIGHT[fileKind(document.path)];
}

/** Lets no document crowd out the others. */
function spread(passages: readonly Passage[], maxPerDocument: number): readonly Passage[] {
  const counts = new Map<string, number>();
  return passages.filter(({ document: { path } }) => {
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    return count <= maxPerDocument;
  });
}
