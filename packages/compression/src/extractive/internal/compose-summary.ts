import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import { appendList } from "../../gate/internal/append-list.ts";
import { factFinder } from "../../gate/internal/fact-finder.ts";
import { fillList } from "../../gate/internal/fill-list.ts";
import { isSentenceKind } from "../../gate/internal/is-sentence-kind.ts";
import { rankFacts } from "../../gate/internal/rank-facts.ts";
import type { RankedFact } from "../../gate/internal/rank-facts.ts";
import { renderFactList } from "../../gate/internal/render-fact-list.ts";
import { matters } from "../../gate/internal/weigh-facts.ts";
import type { WeighedFact } from "../../gate/internal/weigh-facts.ts";
import { chooseData } from "./choose-data.ts";
import { chooseProse } from "./choose-prose.ts";
import { earlierCandidates } from "./earlier-candidates.ts";
import type { ProseCandidate } from "./prose-candidates.ts";
import { proseCandidates } from "./prose-candidates.ts";
import { proseChoice, proseOffers } from "./prose-choice.ts";
import { renderData } from "./render-data.ts";
import { renderProse } from "./render-prose.ts";

/** What a summary is composed from. */
export interface Composition {
  readonly entries: readonly HistoryEntry[];
  /** Of the entries and of the earlier summary. */
  readonly facts: readonly WeighedFact[];
  /** The earlier summary, or nothing. */
  readonly previous: string;
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
}

interface Parts {
  readonly prose: readonly ProseCandidate[];
  readonly data: readonly WeighedFact[];
  readonly list: readonly WeighedFact[];
}

/** What an earlier summary may keep of the cap, at most. */
const EARLIER_SHARE = 0.5;
/** What sentences of the history have in any case: a very small summary is mostly facts. */
const QUOTED_SHARE = 0.12;
/** What all sentences have together, those that tell facts included. */
const SENTENCES_SHARE = 0.5;
/** Room that is worth another sentence. */
const LEAST_ROOM = 8;

/** Composes sentences, facts told in sentences and bare facts into a text under a cap, and fills the cap. */
export function composeSummary(composition: Composition): string {
  const { entries, facts, previous, maxTokens, counter } = composition;
  // A question that is open stands in the list where no sentence tells it.
  const wanted = facts.filter((fact) => !isSentenceKind(fact.kind) || matters(fact));
  const ranked = rankFacts(wanted, counter, 1);
  const choice = proseChoice(facts, ranked);
  const earlier = proseOffers(earlierCandidates(previous), counter);
  const offers = proseOffers(proseCandidates(entries), counter);
  const count = (parts: Parts): number => counter.countText(textOf(parts));
  let prose = chooseProse(earlier, maxTokens * EARLIER_SHARE, choice);
  const add = (tokens: number): void => {
    const taken = new Set(prose);
    const open = offers.filter(({ candidate }) => !taken.has(candidate));
    prose = [...prose, ...chooseProse(open, tokens, choice)];
  };
  add(maxTokens * QUOTED_SHARE);
  const data = factsInSentences(prose, ranked, composition);
  for (const { text } of data) choice.known.add(text);
  add(maxTokens * SENTENCES_SHARE - count({ prose, data, list: [] }));
  const list = factsInList({ prose, data }, ranked, composition);
  for (const { text } of list) choice.known.add(text);
  const left = maxTokens - count({ prose, data, list });
  if (left >= LEAST_ROOM) add(left);
  return textUnderCap({ prose, data, list }, composition);
}

function textOf({ prose, data, list }: Parts): string {
  return appendList(appendList(renderProse(prose), renderData(data)), renderFactList(list));
}

/** Of the facts for which there is room, those that are told in sentences. */
function factsInSentences(
  prose: readonly ProseCandidate[],
  ranked: readonly RankedFact[],
  { maxTokens, counter }: Composition,
): readonly WeighedFact[] {
  const fitting = new Set(factsInList({ prose, data: [] }, ranked, { maxTokens, counter }));
  return chooseData({
    facts: ranked.filter(({ fact }) => fitting.has(fact)),
    count: (data) => counter.countText(textOf({ prose, data, list: [] })),
    maxTokens: maxTokens * SENTENCES_SHARE,
    counter,
  });
}

function factsInList(
  { prose, data }: Omit<Parts, "list">,
  ranked: readonly RankedFact[],
  { maxTokens, counter }: Pick<Composition, "maxTokens" | "counter">,
): readonly WeighedFact[] {
  const { has } = factFinder(textOf({ prose, data, list: [] }));
  const render = (list: readonly WeighedFact[]): string => textOf({ prose, data, list });
  return fillList(ranked, { has, render, maxTokens, counter });
}

/** Parts may count more together than alone: then the last of them go, until the text fits. */
function textUnderCap(parts: Parts, { maxTokens, counter }: Composition): string {
  let text = textOf(parts);
  for (let rest = parts; text !== "" && counter.countText(text) > maxTokens;) {
    rest = withoutLast(rest);
    text = textOf(rest);
  }
  return text;
}

function withoutLast({ prose, data, list }: Parts): Parts {
  if (prose.length > 0) return { prose: prose.slice(0, -1), data, list };
  if (list.length > 0) return { prose, data, list: list.slice(0, -1) };
  return { prose, data: data.slice(0, -1), list };
}
