import type MiniSearch from "minisearch";

import { terms } from "../language/terms.ts";
import { conceptScores } from "./concept-scores.ts";

/** A passage or a document as an engine holds it. */
export interface IndexedText {
  readonly id: number;
  readonly text: string;
  readonly title: string;
  readonly name: string;
  readonly folder: string;
}

/** What passages are scored by. */
export interface ScoringEngines {
  /** The passages; their ids count from 0. */
  readonly ofPassages: MiniSearch<IndexedText>;
  readonly ofDocuments: MiniSearch<IndexedText>;
  /** By the id of a passage: the id of its document. */
  readonly documentOf: readonly number[];
}

/** A name that matches says more than a mention, a title more than a line. */
const BOOST = { text: 1, title: 2, name: 2.5, folder: 0.6 };
/** The title of a document says what all of it is about. */
const DOCUMENT_BOOST = { ...BOOST, title: 4 };
/** What a word that stands in the document is worth to each of its passages. */
const DOCUMENT_SHARE = 0.6;
/** How far a word is covered by a passage where it stands elsewhere in the document. */
const DOCUMENT_COVERAGE = 0.25;

/**
 * Scores passages, by id: for each word of the query what it tells of the passage and of its document, and all this the less, the
 * more of the words are covered by neither. A passage that holds none of them has no score.
 */
export function scorePassages(query: string, engines: ScoringEngines): readonly number[] {
  const { ofPassages, ofDocuments, documentOf } = engines;
  const scores = documentOf.map(() => 0);
  const covered = documentOf.map(() => 0);
  const holds = documentOf.map(() => false);
  let all = 0;
  for (const term of new Set(terms(query))) {
    const own = conceptScores(ofPassages, term, { boost: BOOST });
    const around = conceptScores(ofDocuments, term, { boost: DOCUMENT_BOOST });
    all += own.rarity;
    for (const [id, documentId] of documentOf.entries()) {
      const ofDocument = around.scores.get(documentId);
      if (ofDocument === undefined) continue;
      const score = own.scores.get(id);
      scores[id] = (scores[id] ?? 0) + (score ?? 0) + DOCUMENT_SHARE * ofDocument;
      const coverage = score === undefined ? DOCUMENT_COVERAGE : 1;
      covered[id] = (covered[id] ?? 0) + coverage * own.rarity;
      if (score !== undefined) holds[id] = true;
    }
  }
  return scores.map((score, id) =>
    holds[id] === true ? (score * (covered[id] ?? 0)) / Math.max(all, Number.EPSILON) : 0,
  );
}
