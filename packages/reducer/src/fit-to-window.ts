import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";

import { runAtOnce, runUntilAnswered } from "./engine/context.ts";
import { planFit } from "./engine/fit.ts";
import { carryOut, memoryOf } from "./engine/write.ts";
import type { FitOptions } from "./fit-options.ts";
import { checkOptions } from "./internal/check-options.ts";
import { explainFailure, requireHistory } from "./internal/malformed-entry.ts";
import { repairAsPlanned } from "./internal/repair-as-planned.ts";
import { endFitSpan, failFitSpan, startFitSpan } from "./internal/trace-fit.ts";

/**
 * Trims a history to the model's context window and returns the remaining entries with the plan that explains each decision.
 *
 * System messages, pinned entries, the newest user message and the running exchange survive. Tool calls stay with their results, in order. A valid
 * history that fits is returned as the same array. With `previousPlan` (an incremental fit) only new entries are counted, and the prompt only grows
 * at its end until the window is full. Inputs are not mutated.
 *
 * @throws `HistoryError` with code `WINDOW_TOO_SMALL` if the protected part does not fit: `details.required` and `details.available`, in tokens.
 *   `INVALID_OPTION`, `INVALID_ENTRY`, `DUPLICATE_ID`, `COUNTER_FAILED`, `STEP_FAILED`, `ABORTED`.
 */
export function fitToWindow(entries: readonly HistoryEntry[], options: FitOptions): Reduction {
  checkOptions(options);
  requireHistory(entries);
  const span = startFitSpan(entries, options);
  try {
    const plan = runAtOnce(options, (asker) => planFit(entries, options, asker));
    const reduction = reductionOf(entries, plan);
    endFitSpan(span, reduction);
    return reduction;
  } catch (error) {
    const failure = explainFailure(error, entries);
    failFitSpan(span, failure);
    throw failure;
  }
}

/** Like {@link fitToWindow}, for a counter, steps or a scorer that may be asynchronous. Rejects with `ABORTED` when the signal fires. */
export async function fitToWindowAsync(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): Promise<Reduction> {
  checkOptions(options);
  requireHistory(entries);
  const span = startFitSpan(entries, options);
  try {
    const plan = await runUntilAnswered(options, (asker) => planFit(entries, options, asker));
    const reduction = reductionOf(entries, plan);
    endFitSpan(span, reduction);
    return reduction;
  } catch (error) {
    const failure = explainFailure(error, entries);
    failFitSpan(span, failure);
    throw failure;
  }
}

function reductionOf(given: readonly HistoryEntry[], plan: ReductionPlan): Reduction {
  const { entries } = repairAsPlanned(given, plan);
  return { entries: carryOut(entries, plan.decisions, memoryOf(plan)?.blocks), plan };
}
