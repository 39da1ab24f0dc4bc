import { findQuestion } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { Context } from "../engine/context.ts";
import type { Planned, RecallFit } from "../engine/fit.ts";
import { keptEntries } from "../engine/write.ts";
import type { RecallBlock } from "../engine/write.ts";
import { dayOf, isQuotable, QUOTE_FORMAT, quoteBlock, quoteEntry, saidBy } from "./quotes.ts";

/** Options of recall blocks, checked. */
export interface RecallSettings {
  readonly share: number;
  readonly headShare: number;
  readonly quotesTools: boolean;
  readonly standingWishes: RegExp;
  readonly wholeQuestions: RegExp;
  readonly asks: (text: string) => number;
}

/** Tells whether an entry stands in a prompt, as it is or quoted. */
export type ShownTest = (entry: HistoryEntry) => boolean;

/** So much of a message is looked at for what it asks, in UTF-16 code units. */
export const LONGEST = 2000;
/** The longest standing wish, in tokens. */
const WISH_TOKENS = 200;
/** Below this many tokens the length of an entry says nothing. */
const LEAST_LENGTH = 128;
/** With less room than this, in tokens, no more is looked for. */
const LEAST_ROOM = 24;
/** At most this many windows of text are tokenized to choose a block. */
const MOST_WINDOWS = 2;

/** An entry that may be quoted, or before which a block stands. */
export interface Candidate {
  readonly entry: HistoryEntry;
  readonly index: number;
}

/** Returns what may be quoted before a question: messages before its turn, oldest first. */
export function candidatesOf(
  entries: readonly HistoryEntry[],
  at: number,
  quotesTools: boolean,
): readonly Candidate[] {
  const turnId = entries[at]?.turnId;
  let end = at;
  while (BESIDE_QUESTION.has(entries[end - 1]?.type)) end -= 1;
  // Of entries with one id, the last is quoted.
  const candidates = new Map<string, Candidate>();
  for (const [index, entry] of entries.slice(0, end).entries()) {
    const isOfThisTurn = turnId !== undefined && entry.turnId === turnId;
    if (isQuotable(entry, quotesTools) && !isOfThisTurn) candidates.set(entry.id, { entry, index });
  }
  return [...candidates.values()];
}

const BESIDE_QUESTION: ReadonlySet<string | undefined> = new Set(["user_message", "attachment"]);

/** The share of its score that a message has which settles nothing. */
const UNSETTLED_SHARE = 0.2;

/**
 * Orders candidates by worth per length, newest first among equals, without those worth less than a share of the best. Questions without an answer, and
 * answers in words that come again and again ("Noted."), are worth less.
 * Scores the whole view: a scorer that remembers a history indexes only what is new.
 */
export function orderByWorth(
  candidates: readonly Candidate[],
  question: string,
  context: Context,
  { asks, least = 0 }: Pick<RecallSettings, "asks"> & { readonly least?: number },
): readonly Candidate[] {
  if (candidates.length === 0) return [];
  const unsettled = unsettledOf(candidates, asks);
  const scores = context.score(
    question,
    candidates.map(({ entry }) => entry),
  );
  const ranked = candidates
    .map((candidate, nth) => {
      const share = unsettled.has(candidate) ? UNSETTLED_SHARE : 1;
      const worth = (scores[nth] ?? 0) * share;
      return { candidate, key: worth / Math.max(LEAST_LENGTH, lengthOf(candidate.entry)) };
    })
    .toSorted((a, b) => b.key - a.key || b.candidate.index - a.candidate.index);
  const floor = least * (ranked[0]?.key ?? 0);
  return ranked.filter(({ key }) => key > floor).map(({ candidate }) => candidate);
}

/** Longer answers are no set phrases; in UTF-16 code units. */
const PHRASE = 24;

/** Finds what settles nothing: set phrases, and a user's questions that nothing else answers. */
function unsettledOf(
  candidates: readonly Candidate[],
  asks: RecallSettings["asks"],
): ReadonlySet<Candidate> {
  const said = new Map<string, number>();
  const isUsers = ({ entry }: Candidate): boolean => entry.type === "user_message";
  for (const candidate of candidates) {
    const text = saidBy(candidate.entry);
    if (!isUsers(candidate) && text.length <= PHRASE) said.set(text, (said.get(text) ?? 0) + 1);
  }
  const unsettled = new Set<Candidate>();
  let isAnswered = false;
  let isNext = false;
  for (const candidate of candidates.toReversed()) {
    const text = saidBy(candidate.entry);
    const isPhrase = (said.get(text) ?? 0) > 2;
    const isOpen = isUsers(candidate) && !isAnswered && asks(text.slice(0, LONGEST)) >= 0.5;
    if (isPhrase || isOpen) unsettled.add(candidate);
    // Of several messages in a row one answer is for all.
    if (!isUsers(candidate)) isAnswered = (isAnswered && !isNext) || !isPhrase;
    isNext = isUsers(candidate);
  }
  return unsettled;
}

/** Returns about how many tokens an entry has: the same in every process, whatever the counter. */
function lengthOf(entry: HistoryEntry): number {
  return saidBy(entry).length / 4;
}

/** Where a block is to stand, and how many tokens it may have. */
interface BlockSlot {
  readonly id: string;
  readonly before: Candidate;
  readonly budget: number;
}

/** Quotes candidates, in order, as far as there is room. What is visible in the prompt uses up its tokens and is not quoted. */
export function chooseQuotes(
  order: Iterable<Candidate>,
  isVisible: ShownTest,
  { id, before, budget }: BlockSlot,
  context: Context,
): RecallBlock | undefined {
  const frame = context.count(quoteBlock({ id }, [], before.entry));
  const dayTokens = context.count(DAY) - context.count(EMPTY);
  const taken: Candidate[] = [];
  const days = new Set<string | undefined>([undefined]);
  let left = budget - frame;
  let looked = MOST_WINDOWS * context.budget;
  for (const candidate of order) {
    if (left < LEAST_ROOM || looked <= 0) break;
    const { entry } = candidate;
    const isHidden = !isVisible(entry);
    // Half of its usual tokens would not fit.
    if (isHidden && lengthOf(entry) > 2 * left) continue;
    const tokens = quoteTokens(entry, context);
    looked -= tokens;
    const day = dayOf(entry);
    const cost = tokens + (isHidden && !days.has(day) ? dayTokens : 0);
    if (isHidden && cost > left) continue;
    left -= cost;
    if (!isHidden) continue;
    days.add(day);
    taken.push(candidate);
  }
  // A count of the block may be more than the sum of its parts.
  for (; taken.length > 0; taken.pop()) {
    const inOrder = taken.toSorted((one, other) => one.index - other.index);
    const quoted = inOrder.map((one) => one.entry);
    const entry = quoteBlock({ id }, quoted, before.entry);
    const tokens = context.count(entry);
    if (tokens > budget) continue;
    const indexes = [...inOrder.map(({ index }) => index), before.index];
    const quotes = quoted.map((one) => one.id);
    const recall = { id, before: before.entry.id, quotes, indexes, tokens, format: QUOTE_FORMAT };
    return { recall, entry, quoted, at: before.index };
  }
  return undefined;
}

/** Entries do not change: each quotation is made, and so counted, once. */
const lines = new WeakMap<HistoryEntry, HistoryEntry>();

function quoteTokens(entry: HistoryEntry, { count }: Context): number {
  let line = lines.get(entry);
  if (line === undefined) lines.set(entry, (line = lineOf(quoteEntry(entry))));
  return count(line) - count(EMPTY);
}

function lineOf(text: string): HistoryEntry {
  return { type: "memory", id: "recall", createdAtMs: 0, content: `${text}\n` };
}

const EMPTY: HistoryEntry = { type: "memory", id: "recall", createdAtMs: 0, content: "" };
const DAY: HistoryEntry = lineOf("[2000-01-01]");

/** How the id of the block at the beginning begins. */
export const HEAD = "recall-head:";

/**
 * Chooses what is quoted at the beginning of the prompt after a cut: the user's standing wishes, newest first, then what says most for its length,
 * whatever the question.
 */
export function chooseHead(
  { entries, plan: { decisions } }: Planned,
  budget: number,
  { context }: RecallFit,
  { quotesTools, standingWishes, asks }: RecallSettings,
): RecallBlock | undefined {
  const question = findQuestion(entries, context.options.viewer);
  if (question === undefined || budget <= 0) return undefined;
  const shown = new Set(keptEntries(entries, decisions, "keep", "edit"));
  // Before the first request that is the question or is not pinned, never between a call and its result.
  const index = entries.findIndex(
    (entry) =>
      (entry.type === "user_message" || entry.type === "task") &&
      shown.has(entry) &&
      (entry.pinned !== true || entry === question),
  );
  const entry = entries[index];
  if (entry === undefined) return undefined;
  const kept = new Set(keptEntries(entries, decisions, "keep"));
  const candidates = candidatesOf(entries, entries.lastIndexOf(question), quotesTools);
  const wishes = candidates
    .toReversed()
    .filter(
      (one) =>
        one.entry.type === "user_message" &&
        lengthOf(one.entry) <= WISH_TOKENS &&
        saidBy(one.entry).search(standingWishes) >= 0,
    );
  // The whole view is scored, as for a question: a scorer that remembers it indexes nothing anew.
  const order = new Set([...wishes, ...orderByWorth(candidates, "", context, { asks })]);
  const slot = { id: `${HEAD}${entry.id}`, before: { entry, index }, budget };
  return chooseQuotes(
    [...order].filter((one) => !kept.has(one.entry)),
    (one) => kept.has(one),
    slot,
    context,
  );
}
