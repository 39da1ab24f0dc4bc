import type { ReductionPlan } from "@agent-history/core";

import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { ContinuedFit, Planner } from "../../recall.ts";
import { heldBlocks } from "./held-blocks.ts";
import { meetQuestion } from "./meet-question.ts";
import type { RecallSettings } from "./recall-settings.ts";
import { runOn } from "./run-on.ts";

/** Continues an earlier plan: a new question gets a block, a step of a tool loop none. */
export function* proceed(
  fit: ContinuedFit,
  planner: Planner,
  settings: RecallSettings,
): MaybeAsync<ReductionPlan> {
  const { entries, planned } = fit.continuation;
  const held = yield* heldBlocks(fit, planner);
  const recalling = { fit, planner, settings, held };
  const entry = planner.findQuestion(entries, fit.context.options.viewer);
  const index = entry === undefined ? -1 : entries.lastIndexOf(entry);
  return entry !== undefined && index >= planned
    ? yield* meetQuestion({ entry, index }, recalling)
    : yield* runOn(entry?.id, recalling);
}
