import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { FitOptions } from "./fit-options.ts";
import { checkOptions } from "./internal/check-options.ts";
import { planTask } from "./internal/plan-task.ts";
import { runSync } from "./internal/task.ts";

/**
 * Decides what to keep, shrink, summarize and drop, so that the request fits its window: the dry run of {@link fitToWindow}.
 *
 * @throws `HistoryError`: `WINDOW_TOO_SMALL` where what must be kept does not fit, `INVALID_OPTION`, `COUNTER_FAILED`, `STEP_FAILED`, `ABORTED`.
 */
export function planReduction(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): ReductionPlan {
  checkOptions(options);
  return runSync(planTask(entries, options));
}
