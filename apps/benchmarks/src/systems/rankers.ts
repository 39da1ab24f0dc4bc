import { userMessage } from "@agent-history/core";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import MiniSearch from "minisearch";

import { messageCounter } from "../messages/count-messages.ts";
import type { Ranker } from "../parts/evidence.ts";

/** The newest messages: what a window by recency keeps. */
export const newestFirst: Ranker = {
  name: "recency (trimMessages and others)",
  open: (messages) => {
    const order = messages.map((_, index) => messages.length - 1 - index);
    return () => order;
  },
};

/** BM25 over the words, as a search library has it by default. */
export const plainBm25: Ranker = {
  name: "BM25, MiniSearch with its defaults",
  open: (messages) => {
    const engine = new MiniSearch({ fields: ["content"] });
    engine.addAll(messages.map(({ content }, id) => ({ id, content: content ?? "" })));
    return (question) => engine.search(question).map(({ id }) => Number(id));
  },
};

/** Ours, each message by itself. */
export const lexical: Ranker = ranker("agent-history, lexicalScorer", (score) => score);

/** Ours, by what a message says for its length. */
export const lexicalByLength: Ranker = ranker(
  "agent-history, lexicalScorer, per token",
  (score, tokens) => score / Math.max(128, tokens),
);

function ranker(name: string, worthOf: (score: number, tokens: number) => number): Ranker {
  return {
    name,
    open: (messages) => {
      const scorer = lexicalScorer();
      const counter = messageCounter({ remembers: true });
      const counts = messages.map(counter.countMessage);
      const entries = messages.map(({ content }, index) =>
        userMessage({ id: `m${index}`, createdAtMs: index, content: content ?? "" }),
      );
      return (question) =>
        scorer
          .score(question, entries)
          .map((score, index) => ({ worth: worthOf(score, counts[index] ?? 0), index }))
          .toSorted((one, other) => other.worth - one.worth || other.index - one.index)
          .map(({ index }) => index);
    },
  };
}
