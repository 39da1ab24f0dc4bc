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
}

/** What the first parts have of the cap at most; the rest goes to what adds most for its tokens. */
const EARLIER_SHARE = 0.5;
const USER_SHARE = 0.5;
/** Where users said more than fits, what they said has less: sentences of others tell of it too. */
const MUCH_SAID = 0.75;
const USER_SHARE_OF_MUCH = 0.25;
const FILES_SHARE = 0.4;
const MENTIONED_SHARE = 0.15;
const OTHERS_SHARE = 0.1;
const NAMES_SHARE = 0.3;
/** Parts that are chosen by themselves only. */
const APART: ReadonlySet<SummaryPart> = new Set(["user", "words", "others"]);
/** What more of long messages has before all else, beside their beginnings. */
const MORE_SHARE = 0.08;
const WORDS_SHARE = 0.15;
/** Where there is room for nothing else, in tokens. */
const LEAST_WORDS = 12;
/** Rounds: parts count mostly less together than alone, and what that leaves is filled. */
const ROUNDS = 3;
/** Items beyond so many times the cap have no chance and are not counted. */
const CANDIDATES = 6;

/** Composes the parts of a summary under a cap. */
export function composeParts(composition: Composition): string {
  const { maxTokens, counter } = composition;
  if (maxTokens === 0) return "";
  const choice = itemChoice(composition);
  const lines = linesOf(composition);
  const selection = emptySelection();
  let room = maxTokens;
  const of = (...parts: readonly SummaryPart[]): readonly SummaryLine[] =>
    lines.filter(({ part }) => parts.includes(part));
  const offer = (some: readonly SummaryLine[]): readonly Offer[] =>
    offersOf(some, composition, choice);
  const earlier = offer(lines.filter(isEarlier));
  const user = wantedFirst(
    of("user").filter((line) => !isEarlier(line)),
    offer,
  );
  const begun = user.filter(({ line, item }) => line.items[0] === item);
  const said = begun.reduce((sum, { tokens }) => sum + tokens, 0);
  const userShare = said > maxTokens * MUCH_SAID ? USER_SHARE_OF_MUCH : USER_SHARE;
  const used = newestFirst(offer(of("changed", "read")));
  const mentioned = newestFirst(offer(of("mentioned")));
  const others = offer(of("others"));
  const names = offer(of("names"));
  const rest = offer(lines.filter(({ part }) => !APART.has(part)));
  const words = offer(of("words"));
  for (let round = 0; round < ROUNDS && room > 0; round++) {
    const size = round === 0 ? maxTokens : room;
    let left = room;
    left -= chooseItems(earlier, Math.min(left, size * EARLIER_SHARE), selection, choice);
    left -= chooseInOrder(begun, Math.min(left, size * userShare), selection, choice);
    left -= chooseInOrder(user, Math.min(left, size * MORE_SHARE), selection, choice);
    left -= chooseInOrder(used, Math.min(left, size * FILES_SHARE), selection, choice);
    left -= chooseInOrder(mentioned, Math.min(left, size * MENTIONED_SHARE), selection, choice);
    left -= chooseItems(others, Math.min(left, size * OTHERS_SHARE), selection, choice);
    left -= chooseItems(names, Math.min(left, size * NAMES_SHARE), selection, choice);
    left -= chooseInOrder(mentioned, Math.min(left, size * MENTIONED_SHARE), selection, choice);
    left -= chooseItems(rest, left, selection, choice);
    left -= chooseInOrder(user, left, selection, choice);
    chooseItems(
      words,
      Math.min(left, Math.max(LEAST_WORDS, maxTokens * WORDS_SHARE)),
      selection,
      choice,
    );
    room = maxTokens - counter.countText(textOf(selection));
    if (maxTokens === Infinity) break;
  }
  return textUnderCap(selection, composition);
}

function isEarlier({ items }: SummaryLine): boolean {
  return (items[0]?.place ?? 0) < 0;
}

/** All lines that there are to choose from. */
function linesOf({ entries, facts, previous, maxTokens }: Composition): readonly SummaryLine[] {
  const calls = readCalls(entries);
  const size = entries.length;
  const ledger = fileLedger(calls);
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
    ...fileLines(ledger, facts, forms),
    ...commandLines(calls, size),
    ...failureLines(facts, size, files),
    ...recordLines(calls),
    ...callLines(calls),
    ...proseLines(entries, (text) => weights.get(text) ?? 0, new Set([...files, ...outputs])),
    ...nameLines(facts, calls, maxTokens),
    ...wordLines(facts, maxTokens === Infinity),
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
    .map(({ line, item }) => ({ line, item, tokens: counter.countText(` ${item.text}`) + 1 }));
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

function newestFirst(offers: readonly Offer[]): readonly Offer[] {
  return offers.toSorted((one, other) => other.item.place - one.item.place);
}

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
