import { userMessage } from "@agent-history/core";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import MiniSearch from "minisearch";

import type { Ranker } from "../parts/evidence.ts";

/** The newest messages: what a window by recency keeps. */
export const newestFirst: Ranker = {
  name: "recency (trimMessages and its kin)",
  open: (messages) => {
    const order = messages.map((_, place) => messages.length - 1 - place);
    return () => order;
  },
};

/** BM25 over the words, as a search library has it by default. */
export const plainBm25: Ranker = {
  name: "BM25, MiniSearch as it comes",
  open: (messages) => {
    const engine = new MiniSearch({ fields: ["content"] });
    engine.addAll(messages.map(({ content }, id) => ({ id, content: content ?? "" })));
    return (question) => engine.search(question).map(({ id }) => Number(id));
  },
};

/** Ours. */
export const lexical: Ranker = {
  name: "agent-history, lexicalScorer",
  open: (messages) => {
    const scorer = lexicalScorer();
    const entries = messages.map(({ content }, place) =>
      userMessage({ id: `m${place}`, createdAtMs: place, content: content ?? "" }),
    );
    return (question) =>
      scorer
        .score(question, entries)
        .map((score, place) => ({ score, place }))
        .toSorted((one, other) => other.score - one.score || other.place - one.place)
        .map(({ place }) => place);
  },
};
