import type { ExpectedVersion } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

/**
 * Refuses a write that expects another version.
 *
 * @param actual - The thread's version; `undefined` where there is no thread.
 * @throws `HistoryError` with code `VERSION_CONFLICT`.
 */
export function requireVersion(expected: ExpectedVersion, actual: number | undefined): void {
  const isMet =
    expected === "any" ||
    (expected === "none" && actual === undefined) ||
    (expected === "exists" && actual !== undefined) ||
    expected === (actual ?? 0);
  if (isMet) return;
  throw new HistoryError(
    `Expected the thread's version to be ${expected}, but it is ${actual ?? 0}. Read what is new, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual: actual ?? 0 } },
  );
}
