import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import { runAtOnce } from "./engine/context.ts";
import { planFit } from "./engine/fit.ts";
import type { FitOptions } from "./fit-options.ts";
import { checkOptions } from "./internal/check-options.ts";
import { explainFailure, requireHistory } from "./internal/malformed-entry.ts";

/**
 * Decides what to keep, truncate, summarize or drop so that the request fits the context window: a dry run of {@link fitToWindow}.
 *
 * @throws `HistoryError`: `WINDOW_TOO_SMALL` if the protected part does not fit, `INVALID_OPTION`, `INVALID_ENTRY`, `DUPLICATE_ID`, `COUNTER_FAILED`, `STEP_FAILED`, `ABORTED`.
 */
export function planReduction(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): ReductionPlan {
  checkOptions(options);
  requireHistory(entries);
  try {
    return runAtOnce(options, (asker) => planFit(entries, options, asker));
  } catch (error) {
    throw explainFailure(error, entries);
  }
}
