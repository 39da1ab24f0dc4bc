import type { ExpectedVersion } from "@agent-history/core";
import { HistoryError, MAX_NAME_LENGTH } from "@agent-history/core";

const WORDS: ReadonlySet<unknown> = new Set<ExpectedVersion>(["none", "exists", "any"]);

/**
 * Refuses what is no expected version.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`.
 */
export function requireExpectedVersion(expected: unknown): void {
  if (WORDS.has(expected) || isCount(expected)) return;
  throw invalid("expectedVersion", '"none", "exists", "any" or a version as a number', expected);
}

/**
 * Refuses what is no revision.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`.
 */
export function requireRevision(option: string, revision: unknown): void {
  if (!isCount(revision)) throw invalid(option, "a revision as a number", revision);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value);
}

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

/** Refuses an operation id that is none. */
export function requireOperationId(id: unknown): void {
  if (typeof id !== "string" || id === "") throw invalid("operationId", "a non-empty string", id);
  if (id.length > MAX_NAME_LENGTH) throw nameTooLong("operationId", id);
}

/** Refuses what is no id of an entry. */
export function requireEntryId(option: string, id: unknown): asserts id is string {
  if (typeof id !== "string") throw invalid(option, "the id of an entry of the thread", id);
}

/** Refuses a name of a fork that can be none. */
export function requireForkName(name: unknown): void {
  if (typeof name !== "string" || name === "" || name.includes("/"))
    throw invalid("as", "a non-empty string without `/`", name);
}

/** Refuses what is neither a thread's name nor a beginning of it before a `/`. */
export function requireNameAbove(threadId: string, name: unknown): void {
  const isAbove = typeof name === "string" && name !== "" && `${threadId}/`.startsWith(`${name}/`);
  if (!isAbove) throw invalid("under", "the thread's name or a name above it", name);
}

function invalid(option: string, expected: string, given: unknown): HistoryError {
  const kind = given === null ? "null" : Array.isArray(given) ? "array" : typeof given;
  const received = typeof given === "number" ? `the number ${given}` : `a value of type ${kind}`;
  return new HistoryError(
    `Expected \`${option}\` to be ${expected}; got ${received}. Nothing was sent.`,
    { code: "INVALID_OPTION", details: { option } },
  );
}

function nameTooLong(option: string, { length }: string): HistoryError {
  return new HistoryError(
    `Expected at most ${MAX_NAME_LENGTH} characters in \`${option}\`, got ${length}. Nothing was sent.`,
    { code: "TOO_LARGE", details: { option, limit: MAX_NAME_LENGTH, actual: length } },
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
