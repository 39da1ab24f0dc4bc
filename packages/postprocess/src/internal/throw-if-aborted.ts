import { HistoryError } from "@agent-history/core";

/** Throws when the caller's signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new HistoryError("Aborted; nothing was changed.", {
    code: "ABORTED",
    cause: signal.reason,
  });
}
