import { HistoryError, isHistoryError } from "@agent-history/core";
import { driverFailure } from "@agent-history/store-kit";
import type { DriverFailure } from "@agent-history/store-kit";

import { MIGRATION_ERRORS } from "./postgres-schema.ts";

/** Determines from a client's error whether a statement was executed. Unrecognized errors count as unknown. */
function classifyFailure(error: unknown): DriverFailure {
  const code = codeOf(error);
  if (/^[0-9A-Z]{5}$/.test(code)) return ofState(code);
  const message = error instanceof Error ? error.message : "";
  const isNotSent = UNREACHABLE.has(code) || NOT_SENT.test(message);
  if (isNotSent) return { outcome: "not-sent", reason: "unreachable" };
  return { outcome: "unknown", reason: "disconnected" };
}

/** Whether a migration failed because another process created an object after its snapshot. Occurs with isolation levels other than `read committed`. */
export function isMadeByAnother(error: unknown): boolean {
  return MADE.has(codeOf(error)) || classifyFailure(error).isPassing === true;
}

/** Converts a client's error to a `HistoryError`. Does not quote its message. */
export function asHistoryError(error: unknown, what: "read" | "write"): HistoryError {
  if (isHistoryError(error)) return error;
  const failure = classifyFailure(error);
  const { reason, isPassing } = failure;
  if (codeOf(error) === MIGRATION_ERRORS.newer) {
    return new HistoryError("A later release created this schema. Upgrade this package.", {
      code: "UNKNOWN_VERSION",
    });
  }
  if (BROKEN.has(reason) && isPassing !== true) {
    return new HistoryError(
      `The rows of the thread are damaged (${reason}). Nothing was written. Call \`verify\`.`,
      { code: "THREAD_CORRUPT", details: { reason }, cause: error },
    );
  }
  return driverFailure(what, { ...failure, advice: ADVICE.get(reason), cause: error });
}

function ofState(state: string): DriverFailure {
  const reason = REASONS.get(state) ?? CLASSES.get(state.slice(0, 2)) ?? "error-reply";
  // The server may be stopped after a commit, before it answers.
  if (reason === "disconnected" || LATE.has(state))
    return { outcome: "unknown", reason: "disconnected" };
  if (reason === "not-connected") return { outcome: "not-sent", reason: "unreachable" };
  return { outcome: "rejected", isPassing: reason === "undone" || state === TAKEN, reason };
}

/** Unique violation: another writer inserted a row after this snapshot. Occurs with isolation levels other than `read committed`. */
const TAKEN = "23505";

function codeOf(error: unknown): string {
  const isCoded = error instanceof Error && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);

/** Messages of `pg` and PGlite if the client or pool did not accept the statement. */
const NOT_SENT =
  /not queryable|after calling end on the pool|timeout exceeded when trying to connect|PGlite is clos/;

/** The server ended this connection or all connections, or failed internally: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LATE: ReadonlySet<string> = new Set(["57P01", "57P02", "57P05", "XX000", "58030"]);

/** A schema, table, function or type of this name already exists. */
const MADE: ReadonlySet<string> = new Set(["42P06", "42P07", "42723", "42710"]);

const REASONS: ReadonlyMap<string, string> = new Map([
  ["08001", "not-connected"],
  ["08004", "not-connected"],
  ["57P03", "not-connected"],
  ["53300", "not-connected"],
  ["40001", "undone"],
  ["40P01", "undone"],
  ["57014", "canceled"],
  ["55P03", "locked"],
  ["25006", "read-only"],
  ["42501", "no-permission"],
  ["42P01", "not-migrated"],
  ["3F000", "not-migrated"],
  ["42883", "not-migrated"],
  ["53100", "full"],
  ["53200", "full"],
  [MIGRATION_ERRORS.encoding, "not-utf8"],
]);

const CLASSES: ReadonlyMap<string, string> = new Map([
  ["08", "disconnected"],
  ["22", "value"],
  ["23", "constraint"],
  ["28", "no-permission"],
  ["42", "altered"],
]);

/** These errors occur only if rows were modified by others. */
const BROKEN: ReadonlySet<string> = new Set(["value", "constraint"]);

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["not-migrated", "Run `postgresMigration`, or leave `migrates` on."],
  [
    "altered",
    "The schema lacks tables or functions of this release. Restore them, or use another schema.",
  ],
  ["no-permission", "Allow the role to use the schema, its tables and its functions."],
  ["read-only", "Connect to the primary."],
  ["full", "The server's disk or memory is full. Free some space."],
  ["not-utf8", "Use a database with the encoding UTF8."],
]);
