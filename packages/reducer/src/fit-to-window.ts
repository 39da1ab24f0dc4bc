import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";

import type { FitOptions } from "./fit-options.ts";
import { carryOut } from "./internal/carry-out.ts";
import { checkOptions } from "./internal/check-options.ts";
import { planTask } from "./internal/plan-task.ts";
import { repairAsPlanned } from "./internal/repair-as-planned.ts";
import { blocksOf } from "./internal/seal-plan.ts";
import { runAsync, runSync } from "./internal/task.ts";
import { endFitSpan, failFitSpan, startFitSpan } from "./internal/trace-fit.ts";

/**
 * Makes a history fit a token window, exactly, and says what it did.
 *
 * System messages, pinned entries, the newest user message and the running exchange survive; exchanges stay whole and in
 * order; what fits is returned by identity. With the plan of the call before, only what is new is looked at, and the prompt
 * stays the same but for what is appended, until the window is full.
 *
 * @throws `HistoryError` with code `WINDOW_TOO_SMALL` where what must be kept does not fit; its `details` say how many tokens
 *   it needs (`required`) and how many there are (`available`). `INVALID_OPTION`, `COUNTER_FAILED`, `STEP_FAILED`, `ABORTED` as they say. Nothing is changed.
 */
export function fitToWindow(entries: readonly HistoryEntry[], options: FitOptions): Reduction {
  checkOptions(options);
  const span = startFitSpan(entries, options);
  try {
    const plan = runSync(planTask(entries, options));
    const reduction = reductionOf(entries, plan);
    endFitSpan(span, reduction);
    return reduction;
  } catch (error) {
    failFitSpan(span, error);
    throw error;
  }
}

/** Does what {@link fitToWindow} does, with a counter, steps or a scorer that may be asynchronous. Rejects with `ABORTED` when the signal fires. */
export async function fitToWindowAsync(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): Promise<Reduction> {
  checkOptions(options);
  const span = startFitSpan(entries, options);
  try {
    const plan = await runAsync(planTask(entries, options), options.signal);
    const reduction = reductionOf(entries, plan);
    endFitSpan(span, reduction);
    return reduction;
  } catch (error) {
    failFitSpan(span, error);
    throw error;
  }
}

function reductionOf(given: readonly HistoryEntry[], plan: ReductionPlan): Reduction {
  const { entries } = repairAsPlanned(given, plan);
  return { entries: carryOut(entries, plan.decisions, blocksOf(plan)), plan };
}
