import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode } from "@agent-history/core";

/** The error of a step or a scorer that did what it may not. */
export function stepFailed(
  step: string,
  what: string,
  error: { readonly cause?: unknown } = {},
): HistoryError {
  const message = `${JSON.stringify(step)} ${what}. Nothing was changed.`;
  return new HistoryError(message, { code: "STEP_FAILED", details: { step }, ...error });
}

/** Errors of the engine, which arrive as they are. Whatever else is thrown within a step is the step's. */
const OWN: readonly HistoryErrorCode[] = ["STEP_FAILED", "COUNTER_FAILED"];

/** Names the step or the scorer that threw something. */
export function namedFailure(step: string, cause: unknown): unknown {
  return OWN.some((code) => isHistoryError(cause, code))
    ? cause
    : stepFailed(step, "threw", { cause });
}
