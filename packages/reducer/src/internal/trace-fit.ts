import type { HistoryEntry, Reduction } from "@agent-history/core";
import { failSpan, tracerOf } from "@agent-history/core/kit";
import type { TraceSpan } from "@agent-history/core/kit";

import type { FitOptions } from "../fit-options.ts";

/** Begins the span of one fit: counts and names, never content. */
export function startFitSpan(
  entries: readonly HistoryEntry[],
  options: FitOptions,
): TraceSpan | undefined {
  const span = tracerOf("@agent-history/reducer")?.startSpan("agent_history.fit");
  span?.setAttributes({
    "agent_history.entries.before": entries.length,
    "agent_history.window.context_tokens": options.window.contextTokens,
    "agent_history.counter": options.counter.id,
  });
  return span;
}

/** Ends the span of a fit that succeeded. */
export function endFitSpan(span: TraceSpan | undefined, { entries, plan }: Reduction): void {
  if (span?.isRecording() === true) {
    const acted = plan.decisions.filter(({ action }) => action.kind !== "keep");
    span.setAttributes({
      "agent_history.entries.after": entries.length,
      "agent_history.tokens.before": plan.decisions.reduce(
        (sum, { tokensBefore }) => sum + tokensBefore,
        plan.requestTokens,
      ),
      "agent_history.tokens.after": plan.totalTokens,
      "agent_history.steps": [...new Set(acted.map(({ step }) => step))],
    });
  }
  span?.end();
}

/** Ends the span of a fit that failed, with the error's code. */
export function failFitSpan(span: TraceSpan | undefined, error: unknown): void {
  failSpan(span, error);
  span?.end();
}
