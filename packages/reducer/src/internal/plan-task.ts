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
  const draft =
    options.scorer === undefined
      ? yield* draftFromPlan(continuation.entries, continuation.plan, request)
      : yield* draftHistory(entries, request, continuation.planned);
  const target = draft.total > request.budget ? request.lowTarget : request.budget;
  return yield* decide(draft, request, target);
}

function* decide(draft: Draft, request: Request, target: number): Task<ReductionPlan> {
  yield* capResults(draft, request);
  if (draft.total > request.budget) {
    yield* runSteps(draft, request, target);
    const order = byWorth(draft.items);
    yield* refill(draft, request, { target: Math.max(target, 0), order });
  }
  return yield* planOfDraft(draft, request);
}
