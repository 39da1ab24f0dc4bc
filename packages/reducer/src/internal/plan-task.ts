import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import { draftFromPlan, draftHistory } from "./build-draft.ts";
import { capResults } from "./cap-results.ts";
import { appendToPlan, continuationOf } from "./continue-plan.ts";
import type { Draft } from "./draft.ts";
import { planOfDraft } from "./plan-of-draft.ts";
import { openRequest } from "./request.ts";
import type { Request } from "./request.ts";
import { refill, runSteps } from "./run-steps.ts";
import { byWorth } from "./score-items.ts";
import type { Task } from "./task.ts";

/** Decides what to do with each entry, so that the request fits. */
export function* planTask(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): Task<ReductionPlan> {
  const request = yield* openRequest(options);
  const isFresh = options.recall === "every-turn" && options.scorer !== undefined;
  const continuation = isFresh ? undefined : continuationOf(entries, request);
  if (continuation === undefined) {
    const draft = yield* draftHistory(entries, request, 0);
    return yield* decide(draft, request, request.budget);
  }
  const appended = yield* appendToPlan(continuation, request);
  if (appended !== undefined) return appended;
  const { entries: mended, plan, planned } = continuation;
  const kept =
    options.scorer === undefined ? yield* draftFromPlan(mended, plan, request) : undefined;
  // A summary of the earlier plan is fixed in its draft: where it takes too much room, all is drafted anew.
  if (kept !== undefined && (yield* makeRoom(kept, request, targetOf(kept, request)))) {
    return yield* planOfDraft(kept, request);
  }
  const draft = yield* draftHistory(entries, request, planned);
  return yield* decide(draft, request, targetOf(draft, request));
}

/** Once the window is full, one cut goes down to the low watermark. */
function targetOf(draft: Draft, { budget, lowTarget }: Request): number {
  return draft.total > budget ? lowTarget : budget;
}

function* decide(draft: Draft, request: Request, target: number): Task<ReductionPlan> {
  yield* makeRoom(draft, request, target);
  return yield* planOfDraft(draft, request);
}

/** Takes steps until there is room, and tells whether there is. */
function* makeRoom(draft: Draft, request: Request, target: number): Task<boolean> {
  yield* capResults(draft, request);
  if (draft.total > request.budget) {
    yield* runSteps(draft, request, target);
    yield* refill(draft, request, { target: Math.max(target, 0), order: byWorth(draft.items) });
  }
  return draft.total <= request.budget;
}
