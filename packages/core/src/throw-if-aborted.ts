import { HistoryError } from "./history-error.ts";

/**
 * Throws a `HistoryError` with code `ABORTED` if the signal has fired: what `signal.throwIfAborted()` does, under our code. The
 * signal's reason is the `cause`.
 *
 * @example
 * ```ts
 * import { isHistoryError, throwIfAborted } from "@agent-history/core";
 *
 * throwIfAborted(undefined);
 * let code;
 * try {
 *   throwIfAborted(AbortSignal.abort());
 * } catch (error) {
 *   code = isHistoryError(error) && error.code;
 * }
 * code;
 * // => "ABORTED"
 * ```
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new HistoryError("The call was aborted. Nothing was changed.", {
    code: "ABORTED",
    cause: signal.reason,
  });
}
