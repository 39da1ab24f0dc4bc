import MiniSearch from "minisearch";

import type { Document, FileKind } from "../documents/document.ts";
import { fileKind } from "../documents/file-kind.ts";
import { isTestPath } from "../documents/is-test-path.ts";
import { pathParts } from "../documents/path-parts.ts";
import { terms } from "../language/terms.ts";
import { passageLines } from "./passage.ts";
import type { Passage } from "./passage.ts";
import { splitPassages } from "./split-passages.ts";

/** Finds passages by words. */
export interface SearchIndex {
  /** The best passages first; equal ones in the order of the folder. */
  readonly search: (query: string, options?: SearchOptions) => readonly Passage[];
  /** The passages of one document, in its order. */
  readonly passagesOf: (path: string) => readonly Passage[];
  /** In how many passages a term occurs. */
  readonly frequency: (term: string) => number;
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

/** A name that matches says more than a mention, a title more than a line. */
const BOOST = { text: 1, title: 2, name: 2.5, folder: 0.6 };
/** What a thing is stands where it is declared and explained; prose explains too; other code only uses it. */
const KIND_WEIGHT = { explained: 1, declared: 0.75, comment: 0.9, prose: 1, mention: 0.55 };
const FILE_WEIGHT: Readonly<Record<FileKind, number>> = { prose: 1, code: 1, data: 0.4 };
const TEST_WEIGHT = 0.35;

/** Builds the index of a folder. Lexical: BM25 over passages, with titles, file names and folders as fields of their own. */
export function searchIndex(documents: readonly Document[]): SearchIndex {
  const byPath = new Map(documents.map((document) => [document.path, splitPassages(document)]));
  const passages = [...byPath.values()].flat();
  const frequencies = new Map<string, number>();
  const engine = new MiniSearch<IndexedPassage>({
    fields: ["text", "title", "name", "folder"],
    tokenize: (text) => [...terms(text)],
    processTerm: (term) => term,
  });
  for (const [id, passage] of passages.entries()) {
    const indexed = indexPassage(id, passage);
    engine.add(indexed);
    for (const term of new Set(terms(indexed.text))) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    }
  }
  return {
    search: (query, options = {}) => {
      const { accepts = (): boolean => true, maxPassages = 8, maxPerDocument = 3 } = options;
      const found = engine.search(query, {
        boost: BOOST,
        boostDocument: (id) => weight(passages[Number(id)]),
        filter: ({ id }) => acceptsPassage(passages[Number(id)], accepts),
      });
      const ranked = found
        .toSorted((a, b) => b.score - a.score || Number(a.id) - Number(b.id))
        .flatMap(({ id }) => passages[Number(id)] ?? []);
      return spread(ranked, maxPerDocument).slice(0, maxPassages);
    },
    passagesOf: (path) => byPath.get(path) ?? [],
    frequency: (term) => frequencies.get(term) ?? 0,
  };
}

interface IndexedPassage {
  readonly id: number;
  readonly text: string;
  readonly title: string;
  readonly name: string;
  readonly folder: string;
}

function indexPassage(id: number, passage: Passage): IndexedPassage {
  const { folder, name } = pathParts(passage.document.path);
  return { id, text: passageLines(passage).join("\n"), title: passage.title ?? "", name, folder };
}

function weight(passage: Passage | undefined): number {
  if (passage === undefined) return 0;
  const { kind, document } = passage;
  const ofTest = isTestPath(document.path) ? TEST_WEIGHT : 1;
  return KIND_WEIGHT[kind] * FILE_WEIGHT[fileKind(document.path)] * ofTest;
}

function acceptsPassage(
  passage: Passage | undefined,
  accepts: (document: Document) => boolean,
): boolean {
  return passage !== undefined && accepts(passage.document);
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
