import type { ExpectedVersion } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

/** Returns whether a thread has the version that a write expects; `undefined` if there is no thread. */
export function isVersionMet(expected: ExpectedVersion, actual: number | undefined): boolean {
  return (
    expected === "any" ||
    (expected === "none" && actual === undefined) ||
    (expected === "exists" && actual !== undefined) ||
    expected === (actual ?? 0)
  );
}

/**
 * Refuses a write that expects another version.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT`.
 */
export function requireVersion(expected: ExpectedVersion, actual: number | undefined): void {
  if (isVersionMet(expected, actual)) return;
  throw new HistoryError(
    `Expected the thread's version to be ${expected}, but it is ${actual ?? 0}. Read what is new, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual: actual ?? 0 } },
  );
}

export function noThread(): HistoryError {
  return notFound("There is no thread with this id. Append to it first.");
}

export function notFound(message: string, entryId?: string): HistoryError {
  const details = entryId === undefined ? {} : { entryId };
  return new HistoryError(message, { code: "NOT_FOUND", details });
}

export function duplicateId(entryId: string, what: string): HistoryError {
  return new HistoryError(`The entry id ${JSON.stringify(entryId)} ${what}. Nothing was written.`, {
    code: "DUPLICATE_ID",
    details: { entryId },
  });
}

export function revisionConflict(what: string, expected: number, actual: number): HistoryError {
  return new HistoryError(
    `Expected the ${what} to be ${expected}, but it is ${actual}. Read again, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}
