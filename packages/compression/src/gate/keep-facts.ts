import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import { countOption } from "@agent-history/core";

import type { Fact, FactKind } from "../facts/fact.ts";
import { toFact } from "../facts/internal/to-fact.ts";
import { checkedTextCounter } from "../internal/checked-counter.ts";
import { factFinder } from "./internal/fact-finder.ts";
import { fillList } from "./internal/fill-list.ts";
import { isSentenceKind } from "./internal/is-sentence-kind.ts";
import { quoteData } from "./internal/quote-data.ts";
import { rankFacts } from "./internal/rank-facts.ts";
import type { WeighedFact } from "./internal/weigh-facts.ts";
import { matters, weighFacts } from "./internal/weigh-facts.ts";

const HEADS: Readonly<Partial<Record<FactKind, string>>> = {
  question: "Asked: ",
  decision: "Said: ",
  error: "Failed: ",
  command: "Ran: ",
};

/** Begins the line of single words. */
const WORDS_HEAD = "Also: ";

/** A summary to be checked, and what it is checked against. */
export interface KeepFactsRequest {
  /** What the summary stands for, in order. */
  readonly covered: readonly HistoryEntry[];
  /** What stays beside the summary and is known now: the verbatim tail, kept entries. In order. */
  readonly later: readonly HistoryEntry[];
  /** The summary, as the summarizer wrote it. */
  readonly summary: string;
  /** The most that the whole text may cost, in tokens of `counter`. A summary that is over it already gets nothing more. */
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
}

/** What became of the facts that matter; together `kept`, `appended` and `dropped` are all of them, each once. */
export interface KeptFacts {
  /** The summary as it came, and below it what was appended. The same string where nothing was. */
  readonly text: string;
  /** Facts that stand in the summary. */
  readonly kept: readonly Fact[];
  /** Facts that were missing and now stand below it, word for word. */
  readonly appended: readonly Fact[];
  /** Facts that were missing and found no room. */
  readonly dropped: readonly Fact[];
}

/**
 * Checks that the facts which matter are in a summary, and appends those that are missing, word for word, as far as
 * `maxTokens` goes. Linear.
 *
 * A fact matters where a later entry mentions it, or where an agent needs it to go on: questions that nobody answered,
 * what the user lately decided, errors not followed by a success of the same tool, the last commands, words that the user
 * said or calls have used, and words likely to come up again. What is appended is data: one line for each sentence, one for all words, and
 * nothing in it closes a frame or begins a message (L14).
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `maxTokens` is not a non-negative integer or `Infinity`, `COUNTER_FAILED`.
 * @example
 * ```ts
 * import { action, userMessage } from "@agent-history/core";
 * import { keepFacts } from "@agent-history/compression";
 *
 * const { text, appended } = keepFacts({
 *   covered: [userMessage({ content: "My order is A1772, sent on 2026-05-02." })],
 *   later: [action({ toolCalls: [{ id: "1", name: "find", arguments: '{"order":"A1772"}' }] })],
 *   summary: "The user asks about an order.",
 *   maxTokens: 50,
 *   counter: { countText: (words) => words.split(/\s+/).length },
 * });
 * text;
 * // => "The user asks about an order.\nAlso: A1772 2026-05-02"
 * appended.map(({ kind }) => kind);
 * // => ["identifier", "date"]
 * ```
 */
export function keepFacts(request: KeepFactsRequest): KeptFacts {
  const { covered, later, summary } = request;
  const counter = checkedTextCounter(request.counter);
  const maxTokens = countOption("maxTokens", request.maxTokens);
  const { has } = factFinder(summary);
  const matter = weighFacts(covered, later).filter(matters);
  const render = (facts: readonly WeighedFact[]): string =>
    appendList(summary, renderFactList(facts));
  const ranked = rankFacts(
    matter.filter((fact) => !has(fact)),
    counter,
  );
  const list = fillList(ranked, { has, render, maxTokens, counter });
  // A path on the list brings its file with it.
  const listed = new Set<WeighedFact>(list);
  const words = factFinder(list.map(({ text }) => text).join("\n"));
  const isListed = (fact: WeighedFact): boolean =>
    isSentenceKind(fact.kind) ? listed.has(fact) : words.has(fact);
  const factOf = toFact(covered);
  return {
    text: render(list),
    kept: matter.filter(has).map(factOf),
    appended: matter.filter((fact) => !has(fact) && isListed(fact)).map(factOf),
    dropped: matter.filter((fact) => !has(fact) && !isListed(fact)).map(factOf),
  };
}

/** Puts a list below a text; neither is changed. */
function appendList(text: string, list: string): string {
  if (list === "" || text === "") return text + list;
  return `${text}\n${list}`;
}

/** Writes facts as a compact list: each sentence on a line that says what it is, then all words on one line. */
function renderFactList(facts: readonly Pick<Fact, "kind" | "text">[]): string {
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
