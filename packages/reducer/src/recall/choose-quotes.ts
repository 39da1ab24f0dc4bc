import { findQuestion } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { Context } from "../engine/context.ts";
import type { Planned, RecallFit } from "../engine/fit.ts";
import { keptEntries } from "../engine/write.ts";
import type { RecallBlock } from "../engine/write.ts";
import { blockOf, dayOf, isQuotable, quoteBlock, quoteEntry, saidBy } from "./quotes.ts";

/** Options of recall blocks, checked. */
export interface RecallSettings {
  readonly share: number;
  readonly headShare: number;
  readonly quotesTools: boolean;
  readonly isWish: ShareFunction;
  readonly isWide: ShareFunction;
  readonly asks: ShareFunction;
}

/** Returns how far something holds for a text, from 0 to 1. */
export type ShareFunction = (text: string) => number;

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
  return candidates
    .map((candidate, index) => ({
      ...candidate,
      key:
        ((scores[index] ?? 0) * (unsettled.has(candidate) ? UNSETTLED_SHARE : 1)) /
        Math.max(LEAST_LENGTH, lengthOf(candidate.entry)),
    }))
    .toSorted((one, other) => other.key - one.key || other.index - one.index)
    .filter(({ key }, _, [best]) => key > least * (best?.key ?? 0));
}

/** Longer answers are no set phrases; in UTF-16 code units. */
const PHRASE = 24;

/** Finds what settles nothing: set phrases, and a user's questions that nothing else answers. */
function unsettledOf(
  candidates: readonly Candidate[],
  asks: ShareFunction,
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

/** Entries do not change: each is measured once. */
const lengths = new WeakMap<HistoryEntry, number>();

/** Returns about how many tokens an entry has, by its bytes: the same in every process, whatever the counter. */
function lengthOf(entry: HistoryEntry): number {
  let length = lengths.get(entry);
  if (length === undefined) {
    length = new TextEncoder().encode(saidBy(entry)).length / 4;
    lengths.set(entry, length);
  }
  return length;
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
  isVisible: (entry: HistoryEntry) => boolean,
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
    const block = blockOf({ id, before: before.entry.id }, inOrder, {
      before: before.entry,
      at: before.index,
      count: context.count,
    });
    if (block.recall.tokens <= budget) return block;
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

/**
 * Chooses what is quoted at the beginning of the prompt after a cut: the user's standing wishes, newest first, then what says most for its length,
 * whatever the question.
 *
 * @param blocks - What is quoted in any case.
 */
export function chooseHead(
  planned: Planned,
  budget: number,
  { context }: RecallFit,
  settings: RecallSettings,
  blocks: readonly RecallBlock[] = [],
): RecallBlock | undefined {
  const { entries } = planned;
  const question = findQuestion(entries, context.options.viewer);
  const before = firstRequest(planned, question);
  if (before === undefined || question === undefined || budget <= 0) return undefined;
  const kept = new Set(keptEntries(entries, planned.plan.decisions, "keep"));
  const quoted = new Set(blocks.flatMap(({ recall }) => recall.quotes));
  const isShown = (entry: HistoryEntry): boolean => kept.has(entry) || quoted.has(entry.id);
  const candidates = candidatesOf(entries, entries.lastIndexOf(question), settings.quotesTools);
  const wishes = candidates.toReversed().filter(
    ({ entry }) =>
      entry.type === "user_message" &&
      !isShown(entry) &&
      // A much longer message is no wish.
      lengthOf(entry) <= 2 * WISH_TOKENS &&
      settings.isWish(saidBy(entry)) > 0 &&
      quoteTokens(entry, context) <= WISH_TOKENS,
  );
  const known = new Set(wishes.map(({ entry }) => entry));
  // The whole view is scored, as for a question: a scorer that remembers it indexes nothing anew.
  const others = orderByWorth(candidates, "", context, settings).filter(
    ({ entry }) => !known.has(entry) && !isShown(entry),
  );
  const id = `recall-head:${before.entry.id}`;
  return chooseQuotes([...wishes, ...others], isShown, { id, before, budget }, context);
}

/** Finds the first kept request that is the question or is not pinned: the head stands before it, never between a call and its result. */
function firstRequest(
  { entries, plan }: Planned,
  question: HistoryEntry | undefined,
): Candidate | undefined {
  const kept = new Set(keptEntries(entries, plan.decisions, "keep", "edit"));
  const index = entries.findIndex((entry) => {
    const asks = entry.type === "user_message" || entry.type === "task";
    return asks && kept.has(entry) && (entry.pinned !== true || entry === question);
  });
  const entry = entries[index];
  return entry && { entry, index };
}
