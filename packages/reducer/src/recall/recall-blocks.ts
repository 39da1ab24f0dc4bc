import { findQuestion, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, PlanContinuation, ReductionPlan } from "@agent-history/core";

import type { Planned, Planner, RecallFit } from "../engine/fit.ts";
import { keptEntries } from "../engine/write.ts";
import type { RecallBlock } from "../engine/write.ts";
import { namedFailure, shareOption } from "../internal/check-options.ts";
import type { Recall } from "../recall.ts";
import { candidatesOf, chooseHead, chooseQuotes, LONGEST, orderByWorth } from "./choose-quotes.ts";
import type { Candidate, RecallSettings, ShareFunction } from "./choose-quotes.ts";
import { blockOf, findQuoted, QUOTE_FORMAT, saidBy } from "./quotes.ts";

/** Options of {@link recallBlocks}. */
export interface RecallBlocksOptions {
  /**
   * The share of the window that one block may have, from 0 to 1. A message that asks nothing has a tenth of it, one that asks besides
   * saying more in proportion, a question about the whole nearly twice as much, one that is chosen at a cut up to twice as much. Default 0.2.
   */
  readonly share?: number | undefined;
  /** The share of the window that is quoted at its beginning after a cut: standing wishes, then what says most. From 0 to 1. Default 0.2. */
  readonly headShare?: number | undefined;
  /** Quotes tools' results too, under the tool's name and with the trust of a tool. Default `false`. */
  readonly quotesTools?: boolean | undefined;
  /** Finds what the user wants from now on ("always …"), in the user's language. Default: nothing; the scorers of this package bring it for English. */
  readonly standingWishes?: RegExp | undefined;
  /** Finds questions about order, a summary or the whole. Default: none; the scorers of this package bring it for English. */
  readonly wholeQuestions?: RegExp | undefined;
  /**
   * Tells how much of a message asks something, from 0 to 1; of a long one it is given the beginning. Default: 1 where there is a question mark. The
   * scorers of this package bring more for English.
   */
  readonly asks?: ((text: string) => number) | undefined;
}

/** The share of its budget that a message has which asks nothing: no evidence for a later question is lost by less than a quarter. */
const STATEMENT_SHARE = 0.1;
/** How much more a question about the whole has, and the most of the window it may have: at twice the share the prefix loses more than the evidence gains. */
const WIDE_FACTOR = 1.8;
const WIDE_MOST = 0.5;
/** How full the window may be once old blocks are gone, for turns to stay. */
const MID = 0.95;
/** What a cut for a new question leaves of the turns. */
const LOW = 0.25;
/** How much more a block may have that is chosen at a cut. */
const CUT_FACTOR = 2;
/** What is worth less than this share of the best is not quoted, unless a question is about the whole: a large window is not filled for its own sake. */
const LEAST_WORTH = 0.3;

/**
 * Makes what quotes old entries: before a new question stands one `memory` entry that quotes, word for word, with speaker and day, the old
 * entries that help to answer it. It stays where it is until the next cut, so that the prefix never changes.
 *
 * Takes effect where a fit continues `previousPlan` and something is no longer shown. A step of a tool loop quotes nothing more. The view
 * is scored once for each new question, and once more at each cut, for the part at the beginning; at most two windows of text are tokenized each time.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a share is not from 0 to 1. A fit throws the same if `asks` returns no such share, and
 *   `STEP_FAILED`, which names the option, if `asks` or a pattern throws.
 */
export function recallBlocks(options: RecallBlocksOptions = {}): Recall {
  const { share = 0.2, headShare = 0.2, quotesTools = false } = options;
  const { standingWishes, wholeQuestions, asks = asksByMark } = options;
  shareOption("share", share, true);
  shareOption("headShare", headShare, true);
  const settings = {
    share,
    headShare,
    quotesTools,
    isWish: matches("standingWishes", standingWishes),
    isWide: matches("wholeQuestions", wholeQuestions),
    asks: checkedShare("asks", asks),
  };
  return { name: "block", proceed: (fit, planner) => proceed(fit, planner, settings) };
}

function asksByMark(text: string): number {
  return Number(/[?？؟]/u.test(text));
}

/** Names the option whose function throws, or returns no share. */
function checkedShare(option: string, share: (text: string) => unknown): ShareFunction {
  return (text) => {
    let value: number;
    try {
      value = Number(share(text));
    } catch (cause) {
      throw namedFailure(option, cause);
    }
    return shareOption(option, value, true);
  };
}

/** Returns 1 where a caller's pattern is found, 0 elsewhere. */
function matches(option: string, pattern: RegExp = /(?!)/u): ShareFunction {
  return checkedShare(option, (text) => text.search(pattern) >= 0);
}

/** What a prompt quotes. */
interface Shown {
  readonly head: RecallBlock | undefined;
  /** In the order of the prompt. */
  readonly blocks: readonly RecallBlock[];
}

/** A fit that continues a plan with blocks. */
interface Recalling {
  readonly fit: RecallFit;
  readonly planner: Planner;
  readonly settings: RecallSettings;
  /** What the earlier plan quotes and may still. */
  readonly held: Shown;
  /** The prompt is unchanged before the first block that is not as it was. */
  readonly unchanged: PlanContinuation;
}

/**
 * Adds what is new, and before a new question what helps to answer it: beside all that is quoted, else in place of old blocks, else after a cut. A step of a tool
 * loop keeps the block of its question.
 */
function proceed(fit: RecallFit, planner: Planner, settings: RecallSettings): ReductionPlan {
  const { entries, planned, decisions } = fit.held;
  const recalling = { fit, planner, settings, ...heldBlocks(fit) };
  const { held } = recalling;
  const entry = findQuestion(entries, fit.context.options.viewer);
  const index = entry === undefined ? -1 : entries.lastIndexOf(entry);
  const isAsked = entry !== undefined && index >= planned;
  const wanted = isAsked ? wantedFor({ entry, index }, recalling) : NOTHING;
  const { budget } = fit.context;
  const own = held.blocks.filter(({ recall }) => recall.before === entry?.id);
  const kept = new Set([...keptEntries(entries, decisions, "keep"), ...entries.slice(planned)]);
  const attempts: readonly (readonly [Shown, number])[] = [
    [held, budget],
    [{ ...held, blocks: own }, MID * budget],
  ];
  for (const [shown, most] of attempts.slice(0, own.length < held.blocks.length ? 2 : 1)) {
    const next = withBlock(shown, wanted.choose(shownTest(kept, shown), wanted.most));
    const added = addBeside(next, recalling, most);
    if (added !== undefined) return sealWith(added, next, recalling);
  }
  return isAsked ? cutForQuestion(wanted, recalling) : cutInTurn(own, recalling);
}

/** Takes over the blocks whose place is held. Edited entries are quoted as they are now; erased ones are left out. */
function heldBlocks({ held, context }: RecallFit): Pick<Recalling, "held" | "unchanged"> {
  const { plan, entries, planned, decisions } = held;
  const kept = new Set(keptEntries(entries, decisions, "keep", "edit"));
  let unchanged: PlanContinuation = { entryCount: Infinity };
  const changeAt = (entryCount: number): void => {
    if (entryCount < unchanged.entryCount) unchanged = { entryCount, stoppedBy: "change" };
  };
  let head: RecallBlock | undefined;
  const blocks: RecallBlock[] = [];
  for (const found of findQuoted(plan, entries, context.options.contentName)) {
    const { at = planned, recall, block } = found;
    const before = entries[at];
    // The entry before which it stood is gone, hidden, or not planned yet.
    if (before === undefined || !kept.has(before)) {
      changeAt(block?.at ?? at);
      continue;
    }
    // What is planned anew may be shown.
    const quoted = found.quoted
      .filter(({ index }) => index < planned)
      .toSorted((one, other) => one.index - other.index);
    const isSame =
      found.isSame &&
      recall.format === QUOTE_FORMAT &&
      quoted.map(({ index }) => index).join() === found.quoted.map(({ index }) => index).join();
    if (!isSame) changeAt(at);
    if (quoted.length === 0) continue;
    const { count } = context;
    const now = blockOf(recall, quoted, { before, at, count, known: isSame ? block : undefined });
    if (recall.id === plan.head?.id) head = now;
    else blocks.push(now);
  }
  return { held: { head, blocks }, unchanged };
}

/** What is to be quoted before a question. */
interface Wanted {
  /** Tokens that a block may have, by what the question asks. */
  readonly size: number;
  /** Tokens that it may have beside the question. */
  readonly most: number;
  readonly choose: Choose;
}

const NOTHING: Wanted = { size: 0, most: 0, choose: () => undefined };

function wantedFor(question: Candidate, recalling: Recalling): Wanted {
  const { isWide: wide, asks, share } = recalling.settings;
  const { budget, count } = recalling.fit.context;
  const text = saidBy(question.entry).slice(0, LONGEST);
  const own = share * Math.max(STATEMENT_SHARE, asks(text));
  const isWide = wide(text) > 0;
  const size = budget * (isWide ? Math.min(own * WIDE_FACTOR, WIDE_MOST) : own);
  const most = Math.min(size, budget - count(question.entry));
  return { size, most, choose: chooser(question, isWide ? 0 : LEAST_WORTH, recalling) };
}

/** Makes room by whole turns, builds the head, and quotes more than usual into the room that is there then. */
function cutForQuestion({ size, choose }: Wanted, recalling: Recalling): ReductionPlan {
  const { fit, planner, settings } = recalling;
  const { budget, options } = fit.context;
  const low = Math.min((options.lowWatermark ?? LOW) * budget, budget - size);
  // Room is made even if the turns alone fit; what must stay loses nothing for it.
  const cutAbove = Math.min(budget, uncutTokens(fit) - 1);
  const cut =
    cutTo({ budget, cutAbove, lowTarget: low }, recalling) ??
    planner.append(fit) ??
    planner.cut(unscored(fit));
  const room = budget - usedBy(cut);
  const headRoom = Math.min(settings.headShare * budget, room - size);
  const bare = { head: chooseHead(cut, headRoom, fit, settings), blocks: [] };
  const rest = room - tokensOf(bare);
  const large = Math.min(settings.share * CUT_FACTOR * budget, rest - (1 - MID) * budget);
  const isShown = shownTest(new Set(keptEntries(cut.entries, cut.plan.decisions, "keep")), bare);
  const block = choose(isShown, Math.min(Math.max(size, large), rest));
  return sealWith(cut, withBlock(bare, block), recalling);
}

/** Makes room for a step of a tool loop: turns and the head go, the block of this turn last. */
function cutInTurn(own: readonly RecallBlock[], recalling: Recalling): ReductionPlan {
  const { fit, planner, settings, held } = recalling;
  const { budget, lowTarget } = fit.context;
  const room = budget - tokensOf({ head: undefined, blocks: own });
  const low = lowTarget - tokensOf({ ...held, blocks: own });
  const cut = cutTo({ budget: room, lowTarget: Math.max(0, low) }, recalling);
  if (cut === undefined) {
    return sealWith(planner.cut(unscored(fit)), { head: undefined, blocks: [] }, recalling);
  }
  const blocks = withoutShown(own, cut, fit);
  const used = tokensOf({ head: undefined, blocks }) + usedBy(cut);
  const most = Math.max(held.head?.recall.tokens ?? 0, lowTarget - used);
  const headRoom = Math.min(most, room - usedBy(cut), settings.headShare * budget);
  const head = chooseHead(cut, headRoom, fit, settings, blocks);
  return sealWith(cut, { head, blocks }, recalling);
}

/** Leaves out of blocks what a cut brings back whole; a block that quotes nothing else goes. */
function withoutShown(
  blocks: readonly RecallBlock[],
  { entries: sent, plan }: Planned,
  { held: { entries }, context }: RecallFit,
): readonly RecallBlock[] {
  const whole = new Set(keptEntries(sent, plan.decisions, "keep"));
  return blocks.flatMap((block) => {
    const quoted = block.quoted.filter((entry) => !whole.has(entry));
    const before = entries[block.at];
    if (quoted.length === block.quoted.length) return block;
    if (quoted.length === 0 || before === undefined) return [];
    const places = quoted.map((entry) => ({ entry, index: entries.indexOf(entry) }));
    return blockOf(block.recall, places, { before, at: block.at, count: context.count });
  });
}

type Choose = (
  isShown: (entry: HistoryEntry) => boolean,
  budget: number,
) => RecallBlock | undefined;

/** Chooses blocks for one question; asks the scorer at most once, and never while everything is shown. */
function chooser(question: Candidate, least: number, { fit, settings }: Recalling): Choose {
  const { entries } = fit.held;
  const candidates = candidatesOf(entries, question.index, settings.quotesTools);
  const id = `recall:${question.entry.id}`;
  let order: readonly Candidate[] | undefined;
  return (isShown, budget) => {
    if (candidates.every(({ entry }) => isShown(entry))) return undefined;
    const said = saidBy(question.entry);
    order ??= orderByWorth(candidates, said, fit.context, { ...settings, least });
    return chooseQuotes(order, isShown, { id, before: question, budget }, fit.context);
  };
}

function withBlock({ head, blocks }: Shown, block: RecallBlock | undefined): Shown {
  return { head, blocks: blocks.concat(block ?? []) };
}

function listOf({ head, blocks }: Shown): readonly RecallBlock[] {
  return head === undefined ? blocks : [head, ...blocks];
}

function tokensOf(shown: Shown): number {
  return listOf(shown).reduce((sum, { recall }) => sum + recall.tokens, 0);
}

/** Returns the tokens of what a plan keeps, without blocks. */
function usedBy({ plan }: Pick<Planned, "plan">): number {
  return plan.totalTokens - plan.requestTokens;
}

/** Tells what stands in a prompt, as it is or quoted. */
function shownTest(
  kept: ReadonlySet<HistoryEntry>,
  shown: Shown,
): (entry: HistoryEntry) => boolean {
  const quoted = new Set(listOf(shown).flatMap(({ recall }) => recall.quotes));
  return (entry) => kept.has(entry) || quoted.has(entry.id);
}

/** Adds what is new beside blocks, if all fits. */
function addBeside(shown: Shown, { fit, planner }: Recalling, most: number): Planned | undefined {
  const budget = most - tokensOf(shown);
  const context = { ...fit.context, budget, cutAbove: budget };
  const added = planner.append({ ...fit, context });
  // A quotation may have grown, though nothing is new.
  return added !== undefined && usedBy(added) <= budget ? added : undefined;
}

/** Makes room down to a watermark, oldest first; returns `undefined` if that cannot be. */
function cutTo(
  {
    budget,
    lowTarget,
    cutAbove = budget,
  }: { readonly budget: number; readonly lowTarget: number; readonly cutAbove?: number },
  { fit, planner }: Recalling,
): Planned | undefined {
  const bare = unscored(fit);
  const context = { ...bare.context, budget, cutAbove, lowTarget: Math.floor(lowTarget) };
  try {
    return planner.cut({ ...bare, context });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

/** Cuts without asking the scorer: what they drop is quoted again where it is asked for. */
function unscored(fit: RecallFit): RecallFit {
  const { scorer, ...options } = fit.context.options;
  return { ...fit, context: { ...fit.context, options } };
}

/** Returns the tokens of the prompt without blocks, if nothing were cut. */
function uncutTokens({ held: { entries, planned, decisions }, context }: RecallFit): number {
  const used = decisions.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  return entries.slice(planned).reduce((sum, entry) => sum + context.count(entry), used);
}

/** Writes down what a plan quotes, and how far the prompt is unchanged. */
function sealWith(
  planned: Planned,
  shown: Shown,
  { fit, planner, held, unchanged }: Recalling,
): ReductionPlan {
  const { head } = shown;
  const blocks = listOf(shown);
  const lost = listOf(held).find((block, index) => blocks[index]?.entry !== block.entry);
  let until = unchanged;
  for (const changed of [lost, head?.entry === held.head?.entry ? undefined : head]) {
    if (changed === undefined || changed.at >= until.entryCount) continue;
    until = { entryCount: changed.at, stoppedBy: "cut" };
  }
  const recalls = shown.blocks.map(({ recall }) => recall);
  const { continued } = planned;
  const isEarlier = continued !== undefined && until.entryCount < continued.entryCount;
  const plan = {
    ...planned.plan,
    ...(head && { head: head.recall }),
    ...(recalls.length > 0 && { recalls }),
    totalTokens: planned.plan.totalTokens + tokensOf(shown),
  };
  return planner.seal(
    { ...planned, plan, continued: isEarlier ? until : continued, blocks },
    fit.context,
  );
}
