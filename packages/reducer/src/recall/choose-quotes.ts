import { findQuestion } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { Context } from "../engine/context.ts";
import type { Planned, RecallFit } from "../engine/fit.ts";
import { keptEntries } from "../engine/write.ts";
import type { RecallBlock } from "../engine/write.ts";
import { dayOf, isQuotable, QUOTE_FORMAT, quoteBlock, quoteEntry, saidBy } from "./quotes.ts";

/** Checked options of recall blocks. */
export interface RecallSettings {
  readonly share: number;
  readonly headShare: number;
  readonly quotesTools: boolean;
  readonly standingWishes: RegExp;
  readonly wholeQuestions: RegExp;
  readonly asks: (text: string) => number;
}

/** Returns whether a prompt contains an entry, unchanged or quoted. */
export type ShownTest = (entry: HistoryEntry) => boolean;

/** How much of a message is searched for questions, in UTF-16 code units. */
export const LONGEST = 2000;
/** Maximum length of a standing wish, in tokens. */
const WISH_TOKENS = 200;
/** Shorter entries are rated as if they had this many tokens. */
const LEAST_LENGTH = 128;
/** Stop choosing if fewer tokens than this are left. */
const LEAST_ROOM = 24;
/** The maximum text that is tokenized to choose a block, in context windows. */
const MOST_WINDOWS = 2;

/** An entry that may be quoted, or that a block precedes. */
export interface Candidate {
  readonly entry: HistoryEntry;
  readonly index: number;
}

/** Returns the entries that may be quoted before a question: messages before its turn, oldest first. */
export function candidatesOf(
  entries: readonly HistoryEntry[],
  at: number,
  quotesTools: boolean,
): readonly Candidate[] {
  const turnId = entries[at]?.turnId;
  let end = at;
  while (BESIDE_QUESTION.has(entries[end - 1]?.type)) end -= 1;
  // Of entries with the same id, the last is quoted.
  const candidates = new Map<string, Candidate>();
  for (const [index, entry] of entries.slice(0, end).entries()) {
    const isOfThisTurn = turnId !== undefined && entry.turnId === turnId;
    if (isQuotable(entry, quotesTools) && !isOfThisTurn) candidates.set(entry.id, { entry, index });
  }
  return [...candidates.values()];
}

const BESIDE_QUESTION: ReadonlySet<string | undefined> = new Set(["user_message", "attachment"]);

/** The factor for the score of a message that settles nothing. */
const UNSETTLED_SHARE = 0.2;

/**
 * Sorts candidates by worth per length, newest first among equals, and drops those worth at most `least` times the best. Unanswered questions and
 * stock answers that are repeated ("Noted.") are worth less.
 * Scores the whole view: a scorer that caches a history indexes only new entries.
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

/** Longer answers are not stock phrases; in UTF-16 code units. */
const PHRASE = 24;

/** Finds messages that settle nothing: stock phrases, and user questions without a real answer. */
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
    // One answer is for all of several consecutive messages.
    if (!isUsers(candidate)) isAnswered = (isAnswered && !isNext) || !isPhrase;
    isNext = isUsers(candidate);
  }
  return unsettled;
}

/** Returns the approximate tokens of an entry, independent of counter and process. */
function lengthOf(entry: HistoryEntry): number {
  return saidBy(entry).length / 4;
}

/** The position and token budget of a block. */
interface BlockSlot {
  readonly id: string;
  readonly before: Candidate;
  readonly budget: number;
}

/** Quotes candidates, in order, while there is room. Entries that the prompt already contains use up their tokens and are not quoted. */
export function chooseQuotes(
  order: Iterable<Candidate>,
  isVisible: ShownTest,
  { id, before, budget }: BlockSlot,
  context: Context,
): RecallBlock | undefined {
  const frame = context.count(quoteBlock({ id }, [], before.entry));
  const empty = context.count(lineOf());
  const dayTokens = context.count(lineOf("[2000-01-01]\n")) - empty;
  const taken: Candidate[] = [];
  const days = new Set<string | undefined>([undefined]);
  let left = budget - frame;
  let looked = MOST_WINDOWS * context.budget;
  for (const candidate of order) {
    if (left < LEAST_ROOM || looked <= 0) break;
    const { entry } = candidate;
    const isHidden = !isVisible(entry);
    // Skip an entry that would not fit even with half of its estimated tokens.
    if (isHidden && lengthOf(entry) > 2 * left) continue;
    const tokens = context.count(lineOf(`${quoteEntry(entry)}\n`)) - empty;
    looked -= tokens;
    const day = dayOf(entry);
    const cost = tokens + (isHidden && !days.has(day) ? dayTokens : 0);
    if (isHidden && cost > left) continue;
    left -= cost;
    if (!isHidden) continue;
    days.add(day);
    taken.push(candidate);
  }
  // The block may count more than the sum of its parts.
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

function lineOf(content = ""): HistoryEntry {
  return { type: "memory", id: "recall", createdAtMs: 0, content };
}

/** The id prefix of the block at the beginning. */
export const HEAD = "recall-head:";

/**
 * Chooses the quotes at the beginning of the prompt after a cut: the user's standing wishes, newest first, then the entries worth most for their length,
 * regardless of the question.
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
  // Place it before the first kept request that is the question or is not pinned, never between a call and its result.
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
  // Score the whole view, as for a question, so that a scorer that caches it indexes nothing again.
  const order = new Set([...wishes, ...orderByWorth(candidates, "", context, { asks })]);
  const slot = { id: `${HEAD}${entry.id}`, before: { entry, index }, budget };
  return chooseQuotes(
    [...order].filter((one) => !kept.has(one.entry)),
    (one) => kept.has(one),
    slot,
    context,
  );
}
