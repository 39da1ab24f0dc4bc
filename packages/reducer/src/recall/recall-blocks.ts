import { findQuestion, isHistoryError } from "@agent-history/core";
import type {
  HistoryEntry,
  PlanContinuation,
  PlannedRecall,
  ReductionPlan,
} from "@agent-history/core";

import type { Planned, Planner, RecallFit } from "../engine/fit.ts";
import { keptEntries } from "../engine/write.ts";
import type { RecallBlock } from "../engine/write.ts";
import { namedFailure, shareOption } from "../internal/check-options.ts";
import type { Recall } from "../recall.ts";
import {
  candidatesOf,
  chooseHead,
  chooseQuotes,
  HEAD,
  LONGEST,
  orderByWorth,
} from "./choose-quotes.ts";
import type { Candidate, RecallSettings, ShownTest } from "./choose-quotes.ts";
import { findQuoted, saidBy } from "./quotes.ts";

/** Options of {@link recallBlocks}. */
export interface RecallBlocksOptions {
  /**
   * The maximum share of the budget for one block, from 0 to 1. A message that asks nothing gets a tenth of it, one that is partly a question
   * a proportional part, a question about the whole conversation nearly twice as much, a block chosen at a cut up to twice as much. Default 0.2.
   */
  readonly share?: number | undefined;
  /** The share of the budget for quotes at the beginning of the prompt after a cut: standing wishes, then the entries of most worth. From 0 to 1. Default 0.2. */
  readonly headShare?: number | undefined;
  /** Also quotes tool results, under the tool's name and with the trust of a tool. Default `false`. */
  readonly quotesTools?: boolean | undefined;
  /** Matches lasting wishes of the user ("always …"), in the user's language. Default: matches nothing; the scorers of this package pass one for English. */
  readonly standingWishes?: RegExp | undefined;
  /** Matches questions about order, a summary or the whole conversation. Default: matches nothing; the scorers of this package pass one for English. */
  readonly wholeQuestions?: RegExp | undefined;
  /**
   * Returns how much of a message is a question, from 0 to 1; receives only the beginning of a long message. Default: 1 if it contains a question mark. The
   * scorers of this package pass one for English.
   */
  readonly asks?: ((text: string) => number) | undefined;
}

/** The part of its block's share for a message that asks nothing. Values below a quarter lose no evidence for later questions. */
const STATEMENT_SHARE = 0.1;
/** The factor for a question about the whole conversation, and its maximum share of the budget. A factor of 2 costs more of the prefix than the evidence is worth. */
const WIDE_FACTOR = 1.8;
const WIDE_MOST = 0.5;
/** The maximum share of the budget in use after old blocks are removed; above it, turns are cut. */
const MID = 0.95;
/** The share of the budget to which a cut for a new question reduces the turns. */
const LOW = 0.25;
/** The factor for a block that is chosen at a cut. */
const CUT_FACTOR = 2;
/** Entries worth less than this share of the best are not quoted, unless the question is about the whole conversation: a large window is not filled needlessly. */
const LEAST_WORTH = 0.3;

/**
 * Creates recall blocks: before a new question, one `memory` entry quotes, word for word and with speaker and day, the old
 * entries that help to answer it. It stays in its place until the next cut, so that the prefix never changes.
 *
 * Works if a fit continues `previousPlan` and some entries are no longer shown. A step of a tool loop adds no quotes, unless it cuts. The view
 * is scored once per new question and twice per cut; each time, at most two windows of text are tokenized.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a share is not from 0 to 1. A fit throws the same if `asks` returns a value outside of 0 to 1, and
 *   `STEP_FAILED`, which names the option, if `asks` throws.
 */
export function recallBlocks(options: RecallBlocksOptions = {}): Recall {
  const { share = 0.2, headShare = 0.2, quotesTools = false, asks = asksByMark } = options;
  const { standingWishes = NOTHING, wholeQuestions = NOTHING } = options;
  shareOption("share", share, true);
  shareOption("headShare", headShare, true);
  const settings = {
    share,
    headShare,
    quotesTools,
    standingWishes,
    wholeQuestions,
    asks: (text: string) => {
      let value: number;
      try {
        value = asks(text);
      } catch (cause) {
        throw namedFailure("asks", cause);
      }
      return shareOption("asks", value, true);
    },
  };
  return { name: "block", proceed: (fit, planner) => proceed(fit, planner, settings) };
}

const NOTHING = /(?!)/u;

function asksByMark(text: string): number {
  return Number(/[?？؟]/u.test(text));
}

/** Blocks, in the order of the prompt. */
type Blocks = readonly RecallBlock[];

/**
 * Appends new entries and, before a new question, a block that helps to answer it: next to all existing blocks, else in place of old ones, else after a cut. A step of a tool
 * loop keeps the block of its question.
 */
function proceed(fit: RecallFit, planner: Planner, settings: RecallSettings): ReductionPlan {
  const { plan, entries, planned, decisions } = fit.held;
  const { budget, options } = fit.context;
  const { held, unchanged } = heldBlocks(fit);
  const asked = findQuestion(entries, options.viewer);
  const question = asked && { entry: asked, index: entries.lastIndexOf(asked) };
  const isItsOwn = ({ before }: PlannedRecall): boolean => before === asked?.id;
  // A question whose block was lost because of a change gets a new one.
  const isLost =
    plan.recalls?.some(isItsOwn) === true && !held.some(({ recall }) => isItsOwn(recall));
  const isNew = question !== undefined && (question.index >= planned || isLost);
  const { size, choose } = chooserFor(question, fit, settings);

  const kept = [...keptEntries(entries, decisions, "keep"), ...entries.slice(planned)];
  const add = (blocks: Blocks, most: number): ReductionPlan | undefined => {
    const next = isNew ? blocks.concat(choose(shownTest(kept, blocks), size) ?? []) : blocks;
    const room = most - tokensOf(next);
    const context = { ...fit.context, budget: room, cutAbove: room };
    const added = planner.append({ ...fit, context });
    // Quotes may have become longer even if no entry is new.
    return added === undefined || usedBy(added) > room ? undefined : seal(added, next);
  };
  const own = held.filter((block) => isHead(block) || isItsOwn(block.recall));
  const added =
    add(held, budget) ?? (own.length < held.length ? add(own, MID * budget) : undefined);
  if (added !== undefined) return added;

  // Make room by dropping whole turns; then build the head block, and quote more than usual for a new question.
  const head = settings.headShare * budget;
  const low = isNew ? (options.lowWatermark ?? LOW) * budget : fit.context.lowTarget - head;
  const cut = cutTo(Math.min(low, budget - size), fit, planner);
  const room = budget - usedBy(cut);
  const built = chooseHead(cut, Math.min(head, room - size), fit, settings);
  const blocks = built === undefined ? [] : [built];
  const rest = room - tokensOf(blocks);
  const large = isNew ? settings.share * CUT_FACTOR * budget : 0;
  const most = Math.min(Math.max(size, Math.min(large, rest - (1 - MID) * budget)), rest);
  const isShown = shownTest(keptEntries(cut.entries, cut.plan.decisions, "keep"), blocks);
  return seal(cut, blocks.concat(choose(isShown, most) ?? []));

  /** Seals a plan with its blocks, and records how far the prompt is unchanged. */
  function seal(made: Planned, shown: Blocks): ReductionPlan {
    const count = Math.max(held.length, shown.length);
    const nth = Array.from({ length: count }).findIndex(
      (_, index) => held[index]?.entry !== shown[index]?.entry,
    );
    const at = Math.min(held[nth]?.at ?? Infinity, shown[nth]?.at ?? Infinity);
    const until: PlanContinuation =
      at < unchanged.entryCount ? { entryCount: at, stoppedBy: "cut" } : unchanged;
    const { continued } = made;
    const isEarlier = continued !== undefined && until.entryCount < continued.entryCount;
    const first = shown.find(isHead);
    const recalls = shown.filter((block) => block !== first).map(({ recall }) => recall);
    const quoting = {
      ...made.plan,
      ...(first && { head: first.recall }),
      ...(recalls.length > 0 && { recalls }),
      totalTokens: made.plan.totalTokens + tokensOf(shown),
    };
    // The counted load does not include these blocks, or includes earlier ones.
    const load = count === 0 ? made.load : undefined;
    const sealed = { ...made, plan: quoting, load, continued: isEarlier ? until : continued };
    return planner.seal({ ...sealed, blocks: shown }, fit.context);
  }
}

/** Returns the blocks whose position is kept and whose quotes are unchanged. */
function heldBlocks({ held, context }: RecallFit): {
  readonly held: Blocks;
  readonly unchanged: PlanContinuation;
} {
  const { plan, entries, planned, decisions } = held;
  const kept = new Set(keptEntries(entries, decisions, "keep", "edit"));
  let unchanged: PlanContinuation = { entryCount: Infinity };
  const blocks: RecallBlock[] = [];
  for (const found of findQuoted(plan, entries, context.options.contentName)) {
    const { recall, entry, quoted, at = planned } = found;
    const before = entries[at];
    const isHeld = before !== undefined && kept.has(before);
    // A quoted entry that is planned again may be shown itself. Quotes must be in the order of the log.
    const isInOrder = quoted.every(
      ({ index }, nth) => index < planned && index > (quoted[nth - 1]?.index ?? -1),
    );
    if (isHeld && found.isSame && isInOrder) {
      const indexes = [...quoted.map(({ index }) => index), at];
      blocks.push({
        recall: { ...recall, indexes },
        entry,
        quoted: quoted.map((one) => one.entry),
        at,
      });
    } else if (at < unchanged.entryCount) {
      unchanged = { entryCount: at, stoppedBy: "change" };
    }
  }
  return { held: blocks, unchanged };
}

/** Returns the token budget of the block for a question, and a function that chooses the block. It calls the scorer at most once, and never while everything is shown. */
function chooserFor(
  question: Candidate | undefined,
  { context, held: { entries } }: RecallFit,
  { share, asks, wholeQuestions, quotesTools }: RecallSettings,
): {
  readonly size: number;
  readonly choose: (isShown: ShownTest, budget: number) => RecallBlock | undefined;
} {
  if (question === undefined) return { size: 0, choose: () => undefined };
  const said = saidBy(question.entry);
  const text = said.slice(0, LONGEST);
  const isWide = text.search(wholeQuestions) >= 0;
  const own = share * Math.max(STATEMENT_SHARE, asks(text));
  const wanted = isWide ? Math.min(own * WIDE_FACTOR, WIDE_MOST) : own;
  // Media of unknown size may count more than the window has.
  const rest = Math.max(0, context.budget - context.count(question.entry));
  const size = Math.min(context.budget * wanted, rest);
  const slot = { id: `recall:${question.entry.id}`, before: question };
  const least = isWide ? 0 : LEAST_WORTH;
  let order: readonly Candidate[] | undefined;
  return {
    size,
    choose: (isShown, budget) => {
      const candidates = candidatesOf(entries, question.index, quotesTools);
      if (candidates.every(({ entry }) => isShown(entry))) return undefined;
      order ??= orderByWorth(candidates, said, context, { asks, least });
      return chooseQuotes(order, isShown, { ...slot, budget }, context);
    },
  };
}

function isHead({ recall }: RecallBlock): boolean {
  return recall.id.startsWith(HEAD);
}

function tokensOf(blocks: Blocks): number {
  return blocks.reduce((sum, { recall }) => sum + recall.tokens, 0);
}

/** Returns the tokens of the kept entries, without blocks. */
function usedBy({ plan }: Pick<Planned, "plan">): number {
  return plan.totalTokens - plan.requestTokens;
}

/** Returns a test for whether a prompt contains an entry, unchanged or quoted. */
function shownTest(kept: readonly HistoryEntry[], blocks: Blocks): ShownTest {
  const whole = new Set(kept);
  const quoted = new Set(blocks.flatMap(({ recall }) => recall.quotes));
  return (entry) => whole.has(entry) || quoted.has(entry.id);
}

/** Makes room down to a watermark, oldest first, without the scorer: dropped entries are quoted again when a question needs them. */
function cutTo(low: number, fit: RecallFit, planner: Planner): Planned {
  const { scorer, ...options } = fit.context.options;
  const bare = { ...fit, context: { ...fit.context, options } };
  const lowTarget = Math.max(0, Math.floor(low));
  try {
    return planner.cut({ ...bare, context: { ...bare.context, lowTarget, cutAbove: lowTarget } });
  } catch (error) {
    if (!isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
    return planner.append(fit) ?? planner.cut(bare);
  }
}
