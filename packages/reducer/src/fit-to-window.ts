import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { failSpan, tracerOf } from "@agent-history/core/kit";
import type { TraceSpan } from "@agent-history/core/kit";

import { withCompaction } from "./engine/compaction.ts";
import { runAtOnce, runUntilAnswered } from "./engine/context.ts";
import { planFit } from "./engine/fit.ts";
import type { PlannedFit } from "./engine/fit.ts";
import { carryOut, memoryOf, repairAsPlanned } from "./engine/write.ts";
import type { FitOptions } from "./fit-options.ts";
import { checkOptions } from "./internal/check-options.ts";
import { explainFailure, requireHistory } from "./internal/malformed-entry.ts";

/**
 * Trims a history to the model's context window and returns the remaining entries with the plan that explains each decision.
 *
 * System messages, pinned entries, the newest user message and the running exchange are kept. Tool calls stay with their results, in order. A valid
 * history that fits is returned as the same array. With `previousPlan` (an incremental fit) only new entries are counted, and the prompt only grows
 * at its end until the window is full. Inputs are not mutated.
 *
 * @throws `HistoryError` with code `WINDOW_TOO_SMALL` if the protected part does not fit: `details.required`, the least that it needs, and `details.available`, in tokens.
 *   `INVALID_OPTION`, `INVALID_ENTRY`, `DUPLICATE_ID`, `COUNTER_FAILED`, `STEP_FAILED`, `ABORTED`.
 */
export function fitToWindow(entries: readonly HistoryEntry[], options: FitOptions): Reduction {
  const { end, fail } = begin(entries, options);
  try {
    return end(runAtOnce(options, (asker) => planFit(entries, options, asker)));
  } catch (error) {
    throw fail(error);
  }
}

/** Like {@link fitToWindow}, for a counter, steps or a scorer that may be asynchronous. Rejects with `ABORTED` when the signal fires. */
export async function fitToWindowAsync(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): Promise<Reduction> {
  const { end, fail } = begin(entries, options);
  try {
    return end(await runUntilAnswered(options, (asker) => planFit(entries, options, asker)));
  } catch (error) {
    throw fail(error);
  }
}

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
    return runAtOnce(options, (asker) => planFit(entries, options, asker)).plan;
  } catch (error) {
    throw explainFailure(error, entries);
  }
}

/** Checks the input of a fit and starts its trace span, which records counts and names, never content. */
function begin(
  given: readonly HistoryEntry[],
  options: FitOptions,
): {
  readonly end: (fit: PlannedFit) => Reduction;
  readonly fail: (error: unknown) => unknown;
} {
  checkOptions(options);
  requireHistory(given);
  const span = tracerOf("@agent-history/reducer")?.startSpan("agent_history.fit");
  span?.setAttributes({
    "agent_history.entries.before": given.length,
    "agent_history.window.context_tokens": options.window.contextTokens,
    "agent_history.counter": options.counter.id,
  });
  return {
    end: ({ plan, compaction }) => {
      const { entries } = repairAsPlanned(withCompaction(given, plan.compaction), plan);
      const fitted = carryOut(entries, plan.decisions, memoryOf(plan)?.blocks);
      if (span?.isRecording() === true) describe(span, fitted.length, plan);
      span?.end();
      return { entries: fitted, plan, ...(compaction && { compaction }) };
    },
    fail: (error) => {
      const failure = explainFailure(error, given);
      failSpan(span, failure);
      span?.end();
      return failure;
    },
  };
}

function describe(span: TraceSpan, after: number, plan: ReductionPlan): void {
  const acted = plan.decisions.filter(({ action }) => action.kind !== "keep");
  const before = plan.decisions.reduce((sum, one) => sum + one.tokensBefore, plan.requestTokens);
  span.setAttributes({
    "agent_history.entries.after": after,
    "agent_history.tokens.before": before,
    "agent_history.tokens.after": plan.totalTokens,
    "agent_history.steps": [...new Set(acted.map(({ step }) => step))],
  });
}
