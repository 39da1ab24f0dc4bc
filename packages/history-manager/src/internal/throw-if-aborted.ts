import { HistoryError } from "@agent-history/core";

/** Throws `ABORTED` where the caller's signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new HistoryError("The call was aborted. Nothing was changed.", {
    code: "ABORTED",
    cause: signal.reason,
  });
}
