import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { Block } from "../../internal/seal-plan.ts";
import { sealWith, shownTest, tokensOf, usedBy } from "./block-lists.ts";
import type { Recalling, Shown } from "./block-lists.ts";
import { candidatesOf, orderByWorth } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { chooseHead } from "./choose-head.ts";
import { chooseQuotes } from "./choose-quotes.ts";
import { keptWhole } from "./kept-whole.ts";
import { addBeside, cutTo, uncutTokens, unscored } from "./make-room.ts";
import { saidBy } from "./quote-entry.ts";
import {
  CUT_FACTOR,
  LEAST_WORTH,
  LONGEST,
  LOW,
  MID,
  STATEMENT_SHARE,
  WIDE_FACTOR,
  WIDE_MOST,
} from "./recall-settings.ts";

/** Quotes what helps to answer a new question: beside all that stands there, else instead of old blocks, else after a cut. */
export function* meetQuestion(
  question: Candidate,
  recalling: Recalling,
): MaybeAsync<ReductionPlan> {
  const { fit, held } = recalling;
  const { budget } = fit.context;
  const { isWide: wide, asks, share: whole } = recalling.settings;
  const text = saidBy(question.entry).slice(0, LONGEST);
  const own = whole * Math.max(STATEMENT_SHARE, asks(text));
  const isWide = wide(text) > 0;
  const share = isWide ? Math.min(own * WIDE_FACTOR, WIDE_MOST) : own;
  const most = Math.min(share * budget, budget - (yield* fit.context.count(question.entry)));
  const choose = chooser(question, isWide ? 0 : LEAST_WORTH, recalling);

  const { entries, planned } = fit.continuation;
  const kept = keptWhole(fit.continuation);
  for (const entry of entries.slice(planned)) kept.add(entry);
  const beside = withBlock(held, yield* choose(shownTest(kept, held), most));
  const added = yield* addBeside(beside, recalling, budget);
  if (added !== undefined) return sealWith(added, beside, recalling);

  if (held.blocks.length > 0) {
    const bare = { ...held, blocks: [] };
    const instead = withBlock(bare, yield* choose(shownTest(kept, bare), most));
    const lean = yield* addBeside(instead, recalling, MID * budget);
    if (lean !== undefined) return sealWith(lean, instead, recalling);
  }
  return yield* cutForQuestion(share * budget, choose, recalling);
}

/** Makes room by whole turns, builds the head, and quotes more than usual into the room that is there then. */
function* cutForQuestion(
  size: number,
  choose: Choose,
  recalling: Recalling,
): MaybeAsync<ReductionPlan> {
  const { fit, planner, settings } = recalling;
  const { budget, options } = fit.context;
  const low = Math.min((options.lowWatermark ?? LOW) * budget, budget - size);
  // Room is made though the turns alone may fit; of what must stay nothing goes for it.
  const cutAbove = Math.min(budget, (yield* uncutTokens(fit)) - 1);
  const cut =
    (yield* cutTo({ budget, cutAbove, lowTarget: low }, recalling)) ??
    (yield* planner.append(fit)) ??
    (yield* planner.cut(unscored(fit)));
  const room = budget - usedBy(cut);
  const head = yield* chooseHead(
    cut,
    Math.min(settings.headShare * budget, room - size),
    recalling,
  );
  const bare = { head, blocks: [] };
  const rest = room - tokensOf(bare);
  const large = Math.min(settings.share * CUT_FACTOR * budget, rest - (1 - MID) * budget);
  const isShown = shownTest(keptWhole(cut), bare);
  const block = yield* choose(isShown, Math.min(Math.max(size, large), rest));
  return sealWith(cut, withBlock(bare, block), recalling);
}

type Choose = (
  isShown: (entry: HistoryEntry) => boolean,
  budget: number,
) => MaybeAsync<Block | undefined>;

/** Chooses blocks for one question; asks the scorer at most once, and never while everything is shown. */
function chooser(
  question: Candidate,
  least: number,
  { fit, planner, settings }: Recalling,
): Choose {
  const { entries } = fit.continuation;
  const candidates = candidatesOf(entries, question.index, settings.quotesTools);
  const id = `recall:${question.entry.id}`;
  let order: readonly Candidate[] | undefined;
  return function* choose(isShown, budget) {
    if (candidates.every(({ entry }) => isShown(entry))) return undefined;
    order ??= yield* orderByWorth(candidates, saidBy(question.entry), fit, planner, least);
    return yield* chooseQuotes(order, isShown, { id, before: question, budget }, fit.context);
  };
}

function withBlock({ head, blocks }: Shown, block: Block | undefined): Shown {
  return { head, blocks: blocks.concat(block ?? []) };
}
