import { HistoryError } from "@agent-history/core";

/** What a driver knows of a round that failed. */
export interface DriverFailure {
  /** `not-sent` and `rejected`: nothing was done. `unknown`: it may have been. */
  readonly outcome: "not-sent" | "rejected" | "unknown";
  /** A word that says why. Never text of the client or the server, which may quote credentials or content. */
  readonly reason: string;
  /** Whether the same round may succeed a moment later: the kit tries again. Default `false`. */
  readonly isPassing?: boolean | undefined;
  /** What to do. Default: try again. */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

/** Makes the error that a verb of a driver fails with: of a read, or of a write whose answer may be lost. */
export function driverFailure(
  what: "read" | "write",
  { outcome, reason, isPassing = false, advice = "Try again.", cause }: DriverFailure,
): HistoryError {
  const details = { reason, ...(isPassing && { retry: true }) };
  if (what === "write" && outcome === "unknown") {
    return new HistoryError(
      `The write was sent, but its answer was lost (${reason}). Retry with the same ids: stored entries are not duplicated.`,
      { code: "OUTCOME_UNKNOWN", details, cause },
    );
  }
  return new HistoryError(`Nothing was written (${reason}). ${advice}`, {
    code: "STORE_UNAVAILABLE",
    details: { ...details, outcome: outcome === "rejected" ? "rejected" : "not-sent" },
    cause,
  });
}
