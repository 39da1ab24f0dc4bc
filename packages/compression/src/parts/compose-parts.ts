import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import { commandOf } from "./argument-values.ts";
import { chooseInOrder, chooseItems, emptySelection } from "./choose-items.ts";
import type { ItemChoice, Offer, Selection } from "./choose-items.ts";
import { commandLines } from "./command-lines.ts";
import { earlierLines } from "./earlier-lines.ts";
import { failureLines } from "./failure-lines.ts";
import { fileLedger, fileUses } from "./file-ledger.ts";
import { fileLines } from "./file-lines.ts";
import { missingLines } from "./missing-lines.ts";
import { nameLines } from "./name-lines.ts";
import { openLines } from "./open-lines.ts";
import { pathForms } from "./project-root.ts";
import { proseLines } from "./prose-lines.ts";
import { readCalls } from "./read-calls.ts";
import { callLines, recordLines } from "./record-lines.ts";
import { renderLines } from "./render-lines.ts";
import type { SummaryLine, SummaryPart } from "./summary-line.ts";
import { userWords } from "./user-words.ts";
import { wordLines } from "./word-lines.ts";

/** What a summary is composed from. */
export interface Composition {
  readonly entries: readonly HistoryEntry[];
  /** Of the entries and of the earlier summary. */
  readonly facts: readonly WeighedFact[];
  /** The earlier summary, or nothing. */
  readonly previous: string;
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  /** What stands beside it: only what is missing there is composed. Default nothing. */
  readonly besides?: string;
}

/** What the first parts have of the cap at most; the rest goes to what adds most for its tokens. */
const EARLIER_SHARE = 0.5;
const USER_SHARE = 0.5;
/** Where users said more than fits, what they said has less: sentences of others tell of it too. */
const MUCH_SAID = 0.75;
const NEWEST_SHARE = 0.3;
const HEAD_TOKENS = 4;
const USER_SHARE_OF_MUCH = 0.18;
/** Files and names of code, where the work is on files; and files alone, where it is on data. */
const WORK_SHARE = 0.62;
const FILES_SHARE = 0.4;
/** Files by their last part alone are cheapest: the likeliest have a little in any case, in tokens a round. */
const OTHERS_TOKENS = 30;
const OTHERS_SHARE = 0.05;
/** Sentences of agents, what came of the work and why: of what a summary has beyond the tokens for names of files and code. */
const AGENT_SHARE = 0.3;
const TOKENS_OF_NAMES = 1500;
/** Parts that are chosen by themselves only. */
const APART: ReadonlySet<SummaryPart> = new Set(["user", "words", "others"]);
const WORDS_SHARE = 0.19;
/** Where there is room for nothing else, in tokens. */
const LEAST_WORDS = 12;
/** Rounds: parts count mostly less together than alone, and what that leaves is filled. */
const ROUNDS = 3;
/** Items beyond this many times the cap have no chance and are not counted. */
const CANDIDATES = 6;

/** What one step of a round chooses from, in which order, and up to which share of the cap. */
interface Step {
  readonly offers: readonly Offer[];
  readonly choose: typeof chooseItems;
  readonly share: number;
  /** What it has in any case, in tokens, where so much is left. */
  readonly least?: number;
  /** What it leaves for later steps, as a share. */
  readonly spared?: number;
}

/** Composes the parts of a summary under a cap. */
export function composeParts(composition: Composition): string {
  const { maxTokens, counter, besides } = composition;
  if (maxTokens === 0) return "";
  const choice = itemChoice(composition);
  const all = linesOf(composition);
  const lines = besides === undefined ? all : missingLines(all, besides);
  const steps = stepsOf(lines, composition, choice);
  const selection = emptySelection();
  let room = maxTokens;
  for (let round = 0; round < ROUNDS && room > 0; round++) {
    let left = room;
    for (const { offers, choose, share, least = 0, spared = 0 } of steps) {
      const wanted = share >= 1 ? left * (1 - spared) : Math.max(room * share, least);
      // Shares of no cap are no numbers.
      const tokens = room === Infinity ? Infinity : Math.min(left, wanted);
      left -= choose(offers, tokens, selection, choice);
    }
    room = maxTokens - counter.countText(textOf(selection));
    if (maxTokens === Infinity) break;
  }
  return textUnderCap(selection, composition);
}

/** The order of the parts under a cap: what comes first has its share, the rest competes by what it adds for its tokens. */
function stepsOf(
  lines: readonly SummaryLine[],
  composition: Composition,
  choice: ItemChoice,
): readonly Step[] {
  const { maxTokens } = composition;
  const of = (...parts: readonly SummaryPart[]): readonly SummaryLine[] =>
    lines.filter(({ part }) => parts.includes(part));
  const offer = (some: readonly SummaryLine[]): readonly Offer[] =>
    offersOf(some, composition, choice);
  const own = of("user").filter((line) => !isEarlier(line));
  const user = wantedFirst(own, offer);
  const begun = user.filter(({ line, item }) => line.items[0] === item);
  const said = begun.reduce((sum, { tokens }) => sum + tokens, 0);
  // Work on data, and not on files.
  const used = of("changed", "read").reduce((sum, { items }) => sum + items.length, 0);
  const isOnData = lines.filter(isRecord).length > used;
  const isMuch = isOnData || said > maxTokens * MUCH_SAID;
  // The newest message is begun in any case where its share of the cap has room for it.
  const newest = Math.min(maxTokens * NEWEST_SHARE, (begun[0]?.tokens ?? 0) + HEAD_TOKENS);
  const files = of("changed", "read", "mentioned");
  const rest = offer(lines.filter(({ part }) => !APART.has(part)));
  const words = offer(of("words"));
  const told = likeliestFirst(offer(of("agent")).filter(({ item }) => (item.chance ?? 0) > 0));
  const roomy = Math.max(0, 1 - TOKENS_OF_NAMES / maxTokens);
  const best = chooseItems;
  const inOrder = chooseInOrder;
  const others = offer(of("others"));
  const bareShare = isOnData ? WORDS_SHARE : 0;
  return [
    { offers: offer(lines.filter(isEarlier)), choose: best, share: EARLIER_SHARE },
    {
      offers: begun,
      choose: inOrder,
      share: isMuch ? USER_SHARE_OF_MUCH : USER_SHARE,
      least: newest,
    },
    { offers: told, choose: inOrder, share: AGENT_SHARE * roomy },
    { offers: likeliestFirst(others), choose: inOrder, share: 0, least: OTHERS_TOKENS },
    {
      offers: likeliestFirst(offer(isOnData ? files : [...files, ...of("names")])),
      choose: inOrder,
      share: isOnData ? FILES_SHARE : WORK_SHARE,
    },
    { offers: others, choose: best, share: OTHERS_SHARE },
    { offers: rest, choose: best, share: 1, spared: bareShare },
    { offers: words, choose: best, share: bareShare },
    { offers: rest, choose: best, share: 1 },
    { offers: user, choose: inOrder, share: 1 },
    { offers: words, choose: best, share: WORDS_SHARE, least: LEAST_WORDS },
  ];
}

function isEarlier({ items }: SummaryLine): boolean {
  return (items[0]?.place ?? 0) < 0;
}

/** Tells of a thing that a result had data of; calls are described in the same part. */
function isRecord({ part, head, items }: SummaryLine): boolean {
  return part === "records" && !head.startsWith("The agent ") && (items[0]?.place ?? -1) >= 0;
}

/** All lines that there are to choose from. */
function linesOf({ entries, facts, previous, maxTokens }: Composition): readonly SummaryLine[] {
  const calls = readCalls(entries);
  const size = entries.length;
  const ledger = fileLedger(calls);
  const records = recordLines(calls);
  const forms = pathForms(
    ledger.map(({ path }) => path),
    facts.flatMap(({ kind, text }) => (kind === "path" ? [text] : [])),
  );
  const weights = new Map(facts.map(({ text, weight }) => [text, weight]));
  const files = new Set<number>();
  const outputs = new Set<number>();
  for (const call of calls) {
    if (call.resultPlace === undefined) continue;
    if (commandOf(call.args) !== undefined) outputs.add(call.resultPlace);
    else if (fileUses(call).length > 0) files.add(call.resultPlace);
  }
  return [
    ...earlierLines(previous),
    ...userWords(entries),
    ...openLines(calls, facts),
    ...fileLines(ledger, facts, forms, size),
    ...commandLines(calls, size),
    ...failureLines(facts, size, files),
    ...records,
    ...callLines(calls),
    ...proseLines(entries, (text) => weights.get(text) ?? 0, new Set([...files, ...outputs])),
    ...nameLines(facts, calls, { size, maxTokens }),
    ...wordLines(facts, {
      mayCount: maxTokens === Infinity || records.length > 0 || /^Also: /m.test(previous),
      mayName: maxTokens === Infinity,
    }),
  ].filter(({ items }) => items.length > 0);
}

/** What a fact is worth grows by less than its tokens. */
const LENGTH_POWER = 0.7;

function itemChoice({ facts, counter }: Composition): ItemChoice {
  const worths = new Map<string, number>();
  for (const { text, weight } of facts) {
    worths.set(text, weight * Math.ceil(text.length / 3) ** LENGTH_POWER);
  }
  const heads = new Map<string, number>();
  return {
    worth: (word) => worths.get(word) ?? 0,
    headTokens: ({ head, end }) => {
      const text = `\n${head}${end}`;
      const known = heads.get(text) ?? counter.countText(text);
      heads.set(text, known);
      return known;
    },
  };
}

/** Counts the items that have a chance: those that add most for their length. */
function offersOf(
  lines: readonly SummaryLine[],
  { maxTokens, counter }: Composition,
  { worth }: ItemChoice,
): readonly Offer[] {
  const all = lines.flatMap((line) => line.items.map((item) => ({ line, item })));
  const rated = all.map((each) => {
    let sum = each.item.worth;
    for (const word of each.item.says) sum += worth(word);
    return { ...each, rate: sum / (each.item.text.length + 1) };
  });
  const ordered = rated.toSorted((one, other) => other.rate - one.rate);
  let left = maxTokens * CANDIDATES * 3;
  const wanted = new Set(
    ordered
      .filter(({ item }) => {
        left -= item.text.length;
        return left > 0;
      })
      .map(({ item }) => item),
  );
  return all
    .filter(
      ({ item, line }) => wanted.has(item) || (line.isSequence === true && item === line.items[0]),
    )
    .map(({ line, item }) => {
      return { line, item, tokens: counter.countText(`${line.joint}${item.text}`) };
    });
}

/** The beginning of the newest message, of the first, of the others from the newest; then the second piece of each, and so on. */
function wantedFirst(
  lines: readonly SummaryLine[],
  offer: (lines: readonly SummaryLine[]) => readonly Offer[],
): readonly Offer[] {
  const order = lines.toReversed();
  const first = order.pop();
  if (first !== undefined) order.splice(1, 0, first);
  const rank = new Map(order.map((line, index) => [line, index]));
  const pieceOf = ({ line, item }: Offer): number => line.items.indexOf(item);
  return offer(lines).toSorted(
    (one, other) =>
      pieceOf(one) - pieceOf(other) || (rank.get(one.line) ?? 0) - (rank.get(other.line) ?? 0),
  );
}

/** By the chance that an agent comes back to it, for its tokens; a long name is seldom said by chance. */
function likeliestFirst(offers: readonly Offer[]): readonly Offer[] {
  const scored = offers.map((offer) => {
    return { offer, score: (offer.item.chance ?? 0) / offer.tokens ** CHANCE_POWER };
  });
  return scored.toSorted((one, other) => other.score - one.score).map(({ offer }) => offer);
}

const CHANCE_POWER = 0.6;

function textOf({ lines, items }: Selection): string {
  return renderLines(
    [...lines].map((line) => ({ line, items: line.items.filter((item) => items.has(item)) })),
  );
}

/** Parts may count more together than alone: then those that were chosen last go, until the text fits. */
function textUnderCap(selection: Selection, { maxTokens, counter }: Composition): string {
  let text = textOf(selection);
  while (text !== "") {
    let excess = counter.countText(text) - maxTokens;
    if (!(excess > 0)) break;
    while (excess > 0 && selection.offers.length > 0) {
      const last = selection.offers.pop();
      if (last === undefined) break;
      selection.items.delete(last.item);
      excess -= last.tokens;
    }
    text = textOf(selection);
  }
  return text;
}
