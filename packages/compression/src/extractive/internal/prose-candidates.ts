import type { HistoryEntry } from "@agent-history/core";

import { readableTexts } from "../../facts/internal/readable-texts.ts";
import type { Place } from "../../facts/internal/readable-texts.ts";
import { splitSentences } from "../../facts/internal/split-sentences.ts";
import { wordsOfText } from "../../facts/internal/words-of-text.ts";
import { quoteData } from "../../gate/internal/quote-data.ts";
import { callClause } from "./call-clause.ts";

/** Who says a sentence; a `call` is told of the agent, and `earlier` is what an earlier summary says of its own. */
export type Speaker = "earlier" | "user" | "agent" | "tool" | "call";

/** A sentence that may stand in a summary. */
export interface ProseCandidate {
  /** Its place among all: the order of the history. */
  readonly place: number;
  readonly speaker: Speaker;
  /** As it will stand there. */
  readonly text: string;
  /** The facts of one word that it mentions. */
  readonly words: ReadonlySet<string>;
}

/** All full sentences of entries and one for each call, each text once, where it came last. Linear. */
export function proseCandidates(entries: readonly HistoryEntry[]): readonly ProseCandidate[] {
  const found = new Map<string, ProseCandidate>();
  let place = 0;
  const add = (speaker: Speaker, said: string): void => {
    const text = quoteData(said);
    found.delete(text);
    found.set(text, { place: place++, speaker, text, words: wordsOfText(said) });
  };
  for (const entry of entries) {
    for (const [speaker, text] of spokenTexts(entry)) {
      const full = splitSentences(text).filter(({ isFull }) => isFull);
      for (const sentence of full) add(speaker, sentence.text);
    }
    for (const call of entry.type === "action" ? entry.toolCalls : []) {
      add("call", callClause(call));
    }
  }
  return [...found.values()];
}

/** The texts of an entry that may hold sentences, and who says them. */
function spokenTexts(entry: HistoryEntry): readonly (readonly [Speaker, string])[] {
  return readableTexts(entry).flatMap(({ text, place }) => {
    const speaker = SPEAKERS[place];
    const isJson = place === "result" && /^\s*[[{]/.test(text);
    return speaker === undefined || isJson ? [] : [[speaker, text] as const];
  });
}

const SPEAKERS: Readonly<Partial<Record<Place, Speaker>>> = {
  user: "user",
  assistant: "agent",
  result: "tool",
};
