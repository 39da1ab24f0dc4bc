import { HistoryError } from "@agent-history/core";

/** What a driver knows about a failed round trip. */
export interface DriverFailure {
  /** `not-sent` and `rejected`: nothing was written. `unknown`: the write may have been applied. */
  readonly outcome: "not-sent" | "rejected" | "unknown";
  /** The reason, in a word. Never text from the client or the server, which may quote credentials or content. */
  readonly reason: string;
  /** Whether the same call may succeed a moment later: the kit retries. Default `false`. */
  readonly isPassing?: boolean | undefined;
  /** Advice for the error message. Default: "Try again." */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

/** Returns the error that a driver method throws for a failed read, or for a failed write, whose answer may be lost. */
export function driverFailure(
  what: "read" | "write",
  { outcome, reason, isPassing = false, advice = "Try again.", cause }: DriverFailure,
): HistoryError {
  const details = { reason, ...(isPassing && { retry: true }) };
  if (what === "write" && outcome === "unknown") {
    return new HistoryError(
      `The write was sent, but its response was lost (${reason}). Retry with the same ids: stored entries are not duplicated.`,
      { code: "OUTCOME_UNKNOWN", details, cause },
    );
  }
  return new HistoryError(`Nothing was written (${reason}). ${advice}`, {
    code: "STORE_UNAVAILABLE",
    details: { ...details, outcome: outcome === "rejected" ? "rejected" : "not-sent" },
    cause,
  });
}
