import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";

/** How long rounds to an engine are tried. */
export interface Patience {
  /** For one round with its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly onRetry: () => void;
}

/** Waits between tries in milliseconds; the last one repeats. */
const DELAYS_MS: readonly number[] = [1, 2, 5, 10, 20, 50, 100];

/** What a round came to, and whether an earlier try of it may have been done as well. */
export interface Round<Result> {
  readonly result: Result;
  readonly isUnsure: boolean;
}

/**
 * Runs one round to an engine again as long as it fails with `details.retry`, until it succeeds, fails for good, the deadline passes or the caller gives up.
 *
 * @param what - A write that was sent and not answered ends in `OUTCOME_UNKNOWN`, a read in `STORE_UNAVAILABLE` or `ABORTED`.
 */
export async function patiently<Result>(
  what: "read" | "write",
  run: (signal: AbortSignal | undefined) => Promise<Result>,
  { timeoutMs, onRetry }: Patience,
  signal: AbortSignal | undefined,
): Promise<Round<Result>> {
  const endMs = performance.now() + timeoutMs;
  let unknown: unknown;
  for (let tries = 0; ; tries += 1) {
    try {
      const result = await withinTime(what, run, endMs, signal);
      return { result, isUnsure: unknown !== undefined };
    } catch (error) {
      if (isHistoryError(error, "OUTCOME_UNKNOWN")) unknown = error;
      const leftMs = endMs - performance.now();
      const mayRetry = isHistoryError(error) && error.details["retry"] === true;
      if (signal?.aborted === true) throw unknown ?? abortedBy(signal, error);
      if (!mayRetry || leftMs <= 0) throw unknown ?? error;
      onRetry();
      const delayMs = DELAYS_MS[Math.min(tries, DELAYS_MS.length - 1)] ?? 0;
      await wait(Math.min(delayMs, leftMs), signal);
    }
  }
}

/** Runs one try. Gives up at the deadline or for the caller, if the engine does not answer. */
async function withinTime<Result>(
  what: "read" | "write",
  run: (signal: AbortSignal | undefined) => Promise<Result>,
  endMs: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  throwIfAborted(signal);
  if (endMs === Infinity && signal === undefined) return run(undefined);
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const end = (reason: "timeout" | "aborted"): void => {
      ending.abort(signal?.reason);
      // A command that was not sent yet is given up by its client first.
      setTimeout(() => reject(givenUp(what, reason, signal)), 0);
    };
    stop = () => end("aborted");
    signal?.addEventListener("abort", stop);
    if (endMs !== Infinity)
      timer = setTimeout(() => end("timeout"), Math.max(0, endMs - performance.now()));
  });
  try {
    return await Promise.race([run(ending.signal), over]);
  } finally {
    clearTimeout(timer);
    if (stop !== undefined) signal?.removeEventListener("abort", stop);
    over.catch(() => undefined);
  }
}

/** What was not sent because the caller gave up was aborted. */
function abortedBy(signal: AbortSignal, error: unknown): unknown {
  const isUnsent = isHistoryError(error, "STORE_UNAVAILABLE");
  return isUnsent ? givenUp("read", "aborted", signal) : error;
}

function givenUp(
  what: "read" | "write",
  reason: "timeout" | "aborted",
  signal: AbortSignal | undefined,
): HistoryError {
  if (what === "write") {
    return new HistoryError(
      "The write was sent, but no answer came. Send it again with the same ids.",
      { code: "OUTCOME_UNKNOWN", details: { reason }, cause: signal?.reason },
    );
  }
  if (reason === "aborted") {
    return new HistoryError("The call was aborted. Nothing was changed.", {
      code: "ABORTED",
      cause: signal?.reason,
    });
  }
  return new HistoryError(
    "The store did not answer in time. Nothing was written. Try again, or give it more time.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason } },
  );
}

async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** Lets other work of the process run. */
export async function otherWork(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
