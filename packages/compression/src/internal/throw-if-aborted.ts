import { HistoryError } from "@agent-history/core";

/** Throws `ABORTED` where the caller's signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal.reason);
}

/** Says that the caller's signal fired. */
export function abortedError(cause: unknown): HistoryError {
  return new HistoryError("The compression was aborted. Nothing was changed.", {
    code: "ABORTED",
    cause,
  });
}
