import type { Fact, FactKind } from "../../facts/fact.ts";
import { isSentenceKind } from "./is-sentence-kind.ts";
import { quoteData } from "./quote-data.ts";

const HEADS: Readonly<Partial<Record<FactKind, string>>> = {
  question: "Asked: ",
  decision: "Said: ",
  error: "Failed: ",
  command: "Ran: ",
};

/** Begins the line of single words. */
const WORDS_HEAD = "Also: ";

/** Writes facts as a compact list: each sentence on a line that says what it is, then all words on one line. */
export function renderFactList(facts: readonly Pick<Fact, "kind" | "text">[]): string {
  const lines = facts.flatMap(({ kind, text }) => {
    const head = HEADS[kind];
    return head === undefined ? [] : [head + quoteData(text)];
  });
  const words = facts
    .filter(({ kind }) => !isSentenceKind(kind))
    .map(({ text }) => quoteWord(text));
  return [...lines, ...(words.length === 0 ? [] : [WORDS_HEAD + words.join(" ")])].join("\n");
}

function quoteWord(text: string): string {
  const quoted = quoteData(text);
  return quoted.includes(" ") ? `"${quoted}"` : quoted;
}
