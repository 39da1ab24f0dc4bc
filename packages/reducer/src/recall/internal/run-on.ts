import type { ReductionPlan } from "@agent-history/core";

import type { MaybeAsync } from "../../internal/maybe-async.ts";
import { sealWith, tokensOf, usedBy } from "./block-lists.ts";
import type { Recalling } from "./block-lists.ts";
import { chooseHead } from "./choose-head.ts";
import { addBeside, cutTo, unscored } from "./make-room.ts";
import { MID } from "./recall-settings.ts";
import { unquote } from "./unquote.ts";

/** Adds a step of a tool loop. Where it has no room, old blocks go, then turns and the head, then results are shortened; this turn's block goes last. */
export function* runOn(
  questionId: string | undefined,
  recalling: Recalling,
): MaybeAsync<ReductionPlan> {
  const { fit, planner, settings, held } = recalling;
  const { budget, lowTarget } = fit.context;
  const added = yield* addBeside(held, recalling, budget);
  if (added !== undefined) return sealWith(added, held, recalling);

  const own = held.blocks.filter(({ recall }) => recall.before === questionId);
  const few = { ...held, blocks: own };
  if (own.length < held.blocks.length) {
    const lean = yield* addBeside(few, recalling, MID * budget);
    if (lean !== undefined) return sealWith(lean, few, recalling);
  }
  const blocks = { head: undefined, blocks: own };
  const room = budget - tokensOf(blocks);
  const low = lowTarget - tokensOf(few);
  const cut = yield* cutTo({ budget: room, lowTarget: Math.max(0, low) }, recalling);
  if (cut === undefined) {
    const none = { ...blocks, blocks: [] };
    return sealWith(yield* planner.cut(unscored(fit)), none, recalling);
  }
  const left = yield* unquote(own, cut, fit);
  const used = tokensOf({ head: undefined, blocks: left }) + usedBy(cut);
  const most = Math.max(held.head?.recall.tokens ?? 0, lowTarget - used);
  const head = yield* chooseHead(
    cut,
    Math.min(most, room - usedBy(cut), settings.headShare * budget),
    recalling,
    left,
  );
  return sealWith(cut, { head, blocks: left }, recalling);
}
