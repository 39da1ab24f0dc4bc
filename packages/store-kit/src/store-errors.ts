import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

/** The error for stored data that this package did not write. */
export function corrupt(
  what: string,
  details: { readonly reason: string; readonly position?: number },
  cause?: unknown,
): HistoryError {
  return new HistoryError(
    `Expected ${what} in the form that this package writes. Nothing was written. Call \`verify\` to list damaged rows, then restore a backup or delete the thread.`,
    { code: "THREAD_CORRUPT", details, cause },
  );
}

/** Parses stored JSON; `undefined` if it is none. The engine's own error would quote the text. */
export function jsonIn(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The error for an option that can never work. */
export function invalidOption(option: string, message: string, path?: string): HistoryError {
  const details = { option, ...(path !== undefined && { path }) };
  return new HistoryError(message, { code: "INVALID_OPTION", details });
}

/** The error for a call of which nothing was sent. */
export function notSent(reason: string, message: string, cause?: unknown): HistoryError {
  const details = { outcome: "not-sent", reason };
  return new HistoryError(message, { code: "STORE_UNAVAILABLE", details, cause });
}

/** The error for a value over a limit. */
export function tooLarge(
  what: string,
  limit: number,
  actual: number,
  details: { readonly option?: string; readonly entryId?: string | undefined } = {},
): HistoryError {
  return new HistoryError(
    `Expected at most ${limit} ${what}, got ${actual}. Nothing was sent. Send fewer entries at once, store large content in a file, or use shorter names.`,
    { code: "TOO_LARGE", details: { ...details, limit, actual } },
  );
}

export function threadDeleted(): HistoryError {
  return new HistoryError("This thread was deleted. Start a new thread with another id.", {
    code: "THREAD_DELETED",
  });
}

/** The error for a thread whose key was destroyed: it can never be written again. */
export function keyDestroyed(): HistoryError {
  return new HistoryError(
    "The key of this thread was destroyed. Nothing was written. Delete the thread, or start a new one.",
    { code: "KEY_DESTROYED" },
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

export function conflict(
  what: string,
  expected: number | string,
  actual: number | string,
  advice: string = "Read again, then write again.",
): HistoryError {
  return new HistoryError(`Expected ${what} to be ${expected}, but it is ${actual}. ${advice}`, {
    code: "VERSION_CONFLICT",
    details: { expected, actual },
  });
}
