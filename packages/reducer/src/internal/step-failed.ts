import { HistoryError } from "@agent-history/core";

/** The error of a step or a scorer that did what it may not. */
export function stepFailed(
  step: string,
  what: string,
  error: { readonly cause?: unknown } = {},
): HistoryError {
  const message = `${JSON.stringify(step)} ${what}. Nothing was changed.`;
  return new HistoryError(message, { code: "STEP_FAILED", details: { step }, ...error });
}
