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
 * Takes effect where a fit continues `previousPlan` and something is no longer shown. A step of a tool loop quotes nothing more, unless it cuts. The view
 * is scored once for each new question, and twice at each cut; at most two windows of text are tokenized each time.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a share is not from 0 to 1. A fit throws the same if `asks` returns no such share, and
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
 * Adds what is new, and before a new question what helps to answer it: beside all that is quoted, else in place of old blocks, else after a cut. A step of a tool
 * loop keeps the block of its question.
 */
function proceed(fit: RecallFit, planner: Planner, settings: RecallSettings): ReductionPlan {
  const { plan, entries, planned, decisions } = fit.held;
  const { budget, options } = fit.context;
  const { held, unchanged } = heldBlocks(fit);
  const asked = findQuestion(entries, options.viewer);
  const question = asked && { entry: asked, index: entries.lastIndexOf(asked) };
  const isItsOwn = ({ before }: PlannedRecall): boolean => before === asked?.id;
  // A question whose block is lost because of a change is answered anew.
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
    // A quotation may have grown, though nothing is new.
    return added === undefined || usedBy(added) > room ? undefined : seal(added, next);
  };
  const own = held.filter((block) => isHead(block) || isItsOwn(block.recall));
  const added =
    add(held, budget) ?? (own.length < held.length ? add(own, MID * budget) : undefined);
  if (added !== undefined) return added;

  // Room is made by whole turns; then a head is built, and more than usual is quoted for a new question.
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

  /** Writes down what a plan quotes, and how far the prompt is unchanged. */
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
    const continuedAs = isEarlier ? until : continued;
    // What was counted knows nothing of blocks, or of those before.
    const load = count === 0 ? made.load : undefined;
    return planner.seal(
      { ...made, plan: quoting, load, continued: continuedAs, blocks: shown },
      fit.context,
    );
  }
}

/** Takes over the blocks whose place is held and whose quotations are as they were. */
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
    // What is planned anew may be shown, and quotations are in the order of the log.
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

/** How many tokens a block for a question may have, and what chooses it; the scorer is asked at most once, and never while everything is shown. */
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
  const size = Math.min(context.budget * wanted, context.budget - context.count(question.entry));
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

/** Returns the tokens of what a plan keeps, without blocks. */
function usedBy({ plan }: Pick<Planned, "plan">): number {
  return plan.totalTokens - plan.requestTokens;
}

/** Tells what stands in a prompt, as it is or quoted. */
function shownTest(kept: readonly HistoryEntry[], blocks: Blocks): ShownTest {
  const whole = new Set(kept);
  const quoted = new Set(blocks.flatMap(({ recall }) => recall.quotes));
  return (entry) => whole.has(entry) || quoted.has(entry.id);
}

/** Makes room down to a watermark, oldest first, without asking the scorer: what goes is quoted again where it is asked for. */
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
