import type * as z from "zod";

import { HistoryError, isHistoryError } from "../../history-error.ts";

/** Where a value is not what its schema expects. */
interface Failure {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** How many keys no schema knows. They are text of the user's: never named. */
  readonly unknownKeys: number;
}

/** Said where a schema has no words of its own. Never the library's: they, or a user's locale, may quote the input. */
const FALLBACK = "Expected another value";

/**
 * Parses `value`, or says where it fails, what was expected and what kind of value came, without quoting it. What
 * zod found is not handed on as `cause`, because it names unknown keys.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY`; `details`: `path`, `entryId`, `entryType`.
 */
export function parseBy<Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed {
  try {
    return parseReadable(schema, value);
  } catch (error) {
    if (isHistoryError(error)) throw error;
    throw new HistoryError(
      "Expected JSON; got what cannot be read: it throws, is cyclic or is nested too deeply.",
      { code: "INVALID_ENTRY", details: { path: "" } },
    );
  }
}

function parseReadable<Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed {
  const result = schema.safeParse(value, { error: () => FALLBACK });
  if (result.success) return result.data;
  const failure = failureOf(result.error.issues);
  const path = failure.path.join(".");
  const entryId = nameOf(fieldOf(value, "id"));
  const entryType = nameOf(fieldOf(value, "type"));
  const at = path === "" ? "" : ` at \`${path}\``;
  const of = entryId === undefined ? "" : ` of entry ${quote(entryId)}`;
  const received = receivedBy(failure, value, path === "type" ? entryType : undefined);
  throw new HistoryError(`${failure.message}${at}${of}; got ${received}.`, {
    code: "INVALID_ENTRY",
    details: { path, entryId, entryType },
  });
}

/** Finds the first failure, in the branch of a union that came furthest: a bad part is not a bad list. */
function failureOf(issues: readonly z.core.$ZodIssue[]): Failure {
  const [issue] = issues;
  if (issue === undefined) return { path: [], message: FALLBACK, unknownKeys: 0 };
  const within =
    issue.code === "invalid_union"
      ? issue.errors.find((branch) => branch.some((inner) => inner.path.length > 0))
      : undefined;
  if (within !== undefined) {
    const inner = failureOf(within);
    return { ...inner, path: [...issue.path, ...inner.path] };
  }
  const unknownKeys = issue.code === "unrecognized_keys" ? issue.keys.length : 0;
  return { path: issue.path, message: issue.message, unknownKeys };
}

function receivedBy(failure: Failure, value: unknown, unknownType: string | undefined): string {
  if (failure.unknownKeys > 0) return `${failure.unknownKeys} more`;
  if (unknownType !== undefined) return quote(unknownType);
  return kindOf(failure.path.reduce(fieldOf, value));
}

function fieldOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
