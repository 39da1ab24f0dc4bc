import { findQuestion, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, PlanContinuation, ReductionPlan } from "@agent-history/core";

import type { Block } from "../../internal/seal-plan.ts";
import type { Task } from "../../internal/task.ts";
import { textOfEntry } from "../../internal/text-of-entry.ts";
import type { ContinuedFit, Planned, Planner } from "../../recall.ts";
import { chooseHead } from "./choose-head.ts";
import { chooseQuotes } from "./choose-quotes.ts";
import { heldBlocks } from "./held-blocks.ts";
import type { HeldBlocks } from "./held-blocks.ts";
import { keptWhole } from "./kept-whole.ts";
import { candidatesOf, orderByWorth } from "./open-choice.ts";
import type { Candidate } from "./open-choice.ts";
import {
  CUT_FACTOR,
  LOW,
  MID,
  STATEMENT_SHARE,
  WIDE_FACTOR,
  WIDE_MOST,
} from "./recall-settings.ts";
import type { RecallSettings } from "./recall-settings.ts";

/** A fit that goes on and quotes. */
interface Recalling {
  readonly fit: ContinuedFit;
  readonly planner: Planner;
  readonly settings: RecallSettings;
  readonly held: HeldBlocks;
}

/** Goes on from an earlier plan: a new question gets a block, a step of a tool loop none. */
export function* proceed(
  fit: ContinuedFit,
  planner: Planner,
  settings: RecallSettings,
): Task<ReductionPlan> {
  const { entries, planned } = fit.continuation;
  const held = yield* heldBlocks(fit);
  const recalling = { fit, planner, settings, held };
  const entry = findQuestion(entries, fit.request.options.viewer);
  const place = entry === undefined ? -1 : entries.lastIndexOf(entry);
  const isNew = entry !== undefined && place >= planned;
  return isNew
    ? yield* meetQuestion({ entry, place }, recalling)
    : yield* runOn(entry?.id, recalling);
}

/** Adds a step of a tool loop. Where it does not fit, old blocks go, then turns and the head; this turn's block goes last. */
function* runOn(questionId: string | undefined, recalling: Recalling): Task<ReductionPlan> {
  const { fit, planner, settings, held } = recalling;
  const { budget, lowTarget } = fit.request;
  const all = [...listOf(held.head), ...held.blocks];
  const added = yield* addBeside(all, recalling, budget);
  if (added !== undefined) return seal(added, all, recalling);
  const own = held.blocks.filter(({ recall }) => recall.before === questionId);
  const few = [...listOf(held.head), ...own];
  const lean = few.length < all.length ? yield* addBeside(few, recalling, MID * budget) : undefined;
  if (lean !== undefined) return seal(lean, few, recalling);
  for (const kept of [own, []]) {
    const room = budget - tokensOf(kept);
    const reserved = tokensOf(kept) + tokensOf(listOf(held.head));
    const low = Math.max(0, lowTarget - reserved);
    const cut = yield* cutTo({ budget: room, low, isLast: kept.length === 0 }, recalling);
    if (cut === undefined) continue;
    const left = Math.max(lowTarget, usedBy(cut) + reserved) - usedBy(cut) - tokensOf(kept);
    const most = Math.min(left, room - usedBy(cut), settings.headShare * budget);
    const head = yield* chooseHead(cut, most, { ...fit, settings });
    return seal(cut, [...listOf(head), ...kept], recalling);
  }
  return planner.seal(yield* planner.cut(unscored(fit)), fit);
}

/** Quotes what helps to answer a new question: beside all that stands there, else in place of old blocks, else after a cut. */
function* meetQuestion(question: Candidate, recalling: Recalling): Task<ReductionPlan> {
  const { fit, settings, held } = recalling;
  const { continuation, request } = fit;
  const { entries, plan, planned } = continuation;
  const { budget } = request;
  const text = textOfEntry(question.entry);
  const size = shareOf(text, settings) * budget;
  const candidates = candidatesOf(entries, question.place, settings.quotesTools);
  let order: readonly Candidate[] | undefined;
  function* choose(
    isVisible: (entry: HistoryEntry) => boolean,
    most: number,
  ): Task<readonly Block[]> {
    if (candidates.every(({ entry }) => isVisible(entry))) return [];
    order ??= yield* orderByWorth(candidates, text, request);
    const id = `recall:${question.entry.id}`;
    return listOf(
      yield* chooseQuotes(order, isVisible, { id, before: question, budget: most }, request),
    );
  }

  const shown = keptWhole(entries, plan.decisions);
  for (const entry of entries.slice(planned)) shown.add(entry);
  const head = listOf(held.head);
  const own = yield* request.count(question.entry);
  const most = Math.min(size, budget - own);
  const old = [...head, ...held.blocks];
  const beside = [...old, ...(yield* choose(seenIn(shown, old), most))];
  const added = yield* addBeside(beside, recalling, budget);
  if (added !== undefined) return seal(added, beside, recalling);
  const instead = [...head, ...(yield* choose(seenIn(shown, head), most))];
  const lean =
    held.blocks.length > 0 ? yield* addBeside(instead, recalling, MID * budget) : undefined;
  if (lean !== undefined) return seal(lean, instead, recalling);

  const low = Math.min((request.options.lowWatermark ?? LOW) * budget, budget - size);
  const cut =
    (yield* cutTo({ budget, low, isForced: true }, recalling)) ??
    (yield* recalling.planner.append(fit)) ??
    (yield* recalling.planner.cut(unscored(fit)));
  const room = budget - usedBy(cut);
  const newHead = listOf(
    yield* chooseHead(cut, Math.min(settings.headShare * budget, room - size), {
      ...fit,
      settings,
    }),
  );
  const rest = room - tokensOf(newHead);
  const large = Math.max(
    size,
    Math.min(settings.share * CUT_FACTOR * budget, rest - (1 - MID) * budget),
  );
  const seen = seenIn(keptWhole(cut.entries, cut.plan.decisions), newHead);
  const block = yield* choose(seen, Math.min(large, rest));
  return seal(cut, [...newHead, ...block], recalling);
}

/** What a block for a message may have of the window. */
function shareOf(text: string, { share, wide }: RecallSettings): number {
  const asks = /[?？؟]/u.test(text);
  const isWide = text.slice(0, 2000).search(wide) >= 0;
  const own = asks ? share : share * STATEMENT_SHARE;
  return isWide ? Math.min(own * WIDE_FACTOR, Math.max(share, WIDE_MOST)) : own;
}

/** Adds what is new beside blocks, where all has room. */
function* addBeside(
  blocks: readonly Block[],
  { fit, planner }: Recalling,
  budget: number,
): Task<Planned | undefined> {
  const request = { ...fit.request, budget: budget - tokensOf(blocks) };
  return yield* planner.append({ ...fit, request });
}

/** Makes room down to a watermark, without the scorer: oldest first. Nothing where that cannot be. */
function* cutTo(
  {
    budget,
    low,
    isForced = false,
    isLast = false,
  }: {
    readonly budget: number;
    readonly low: number;
    /** Room is made though all would fit. */
    readonly isForced?: boolean;
    readonly isLast?: boolean;
  },
  { fit, planner }: Recalling,
): Task<Planned | undefined> {
  const { continuation } = fit;
  let most = budget;
  if (isForced) {
    let used = continuation.plan.totalTokens - continuation.plan.requestTokens;
    for (const entry of continuation.entries.slice(continuation.planned)) {
      used += yield* fit.request.count(entry);
    }
    most = Math.min(budget, used - 1);
  }
  const bare = unscored(fit);
  try {
    const request = { ...bare.request, budget: most, lowTarget: Math.floor(low) };
    return yield* planner.cut({ ...bare, request });
  } catch (error) {
    if (isLast || !isHistoryError(error, "WINDOW_TOO_SMALL")) throw error;
    return undefined;
  }
}

/** A fit whose cuts ask no scorer. */
function unscored(fit: ContinuedFit): ContinuedFit {
  const { scorer, ...options } = fit.request.options;
  return { ...fit, request: { ...fit.request, options } };
}

function seal(
  planned: Planned,
  blocks: readonly Block[],
  { fit, planner, held }: Recalling,
): ReductionPlan {
  const old = [...listOf(held.head), ...held.blocks];
  const lost = old.find((block, index) => blocks[index]?.entry !== block.entry);
  const [first] = blocks;
  const isHead = first !== undefined && first.recall.id.startsWith("recall-head:");
  const added = isHead && first.entry !== held.head?.entry ? [first] : [];
  const places = [...listOf(lost), ...added].map(({ at }) => at);
  const entryCount = places.reduce((least, at) => Math.min(least, at), Infinity);
  const cut: PlanContinuation = { entryCount, stoppedBy: "cut" };
  const unchanged =
    places.length > 0 && cut.entryCount < held.unchanged.entryCount ? cut : held.unchanged;
  const recalls = blocks.slice(isHead ? 1 : 0).map(({ recall }) => recall);
  const plan = {
    ...planned.plan,
    ...(isHead && { head: first.recall }),
    ...(recalls.length > 0 && { recalls }),
    totalTokens: planned.plan.totalTokens + tokensOf(blocks),
  };
  return planner.seal({ ...planned, plan }, fit, { blocks, unchanged });
}

function usedBy({ plan }: Planned): number {
  return plan.totalTokens - plan.requestTokens;
}

function tokensOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { recall }) => sum + recall.tokens, 0);
}

function listOf(block: Block | undefined): readonly Block[] {
  return block === undefined ? [] : [block];
}

function seenIn(
  shown: ReadonlySet<HistoryEntry>,
  blocks: readonly Block[],
): (entry: HistoryEntry) => boolean {
  const quoted = new Set(blocks.flatMap((block) => block.quoted));
  return (entry) => shown.has(entry) || quoted.has(entry);
}
