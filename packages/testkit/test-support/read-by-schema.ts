import { ENTRY_TYPES } from "@agent-history/core";
import { finalSchema, historyEntrySchema, jsonObjectSchema } from "@agent-history/core/schema";
import type * as z from "zod";

/** What the public schemas make of a value: a copy, or where they refuse it and why. */
export type ReadBySchema =
  | { readonly entry: unknown }
  | { readonly path: string; readonly expected: string }
  /** It throws when it is read. */
  | undefined;

/** Reads an entry by the public zod schemas alone, which say what `parseEntry` takes. */
export function readBySchema(value: unknown): ReadBySchema {
  try {
    return hasOwnType(value) ? readOwnType(value) : readBy(historyEntrySchema, value);
  } catch {
    return undefined;
  }
}

function hasOwnType(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const type: unknown = Reflect.get(value, "type");
  return typeof type === "string" && type !== "" && !ENTRY_TYPES.some((one) => one === type);
}

/** The common fields are those of a `final`, whose content may be missing here; beside them may be any JSON. */
function readOwnType(value: object): ReadBySchema {
  if (Array.isArray(value)) return { path: "", expected: "Expected an object" };
  const read = readCommon(value);
  if (read === undefined || "path" in read) return read;
  if (Object.hasOwn(value, "v")) return { path: "v", expected: "Expected no field `v`" };
  const copied = readBy(jsonObjectSchema, value);
  if (copied === undefined || "path" in copied) return copied;
  // What is stored is the copy, without what is hidden or inherited.
  const { entry } = copied;
  if (typeof entry !== "object" || entry === null) return copied;
  if (!hasOwnType(entry)) return { path: "type", expected: "Expected a non-empty string" };
  const ofCopy = readCommon(entry);
  return ofCopy === undefined || "path" in ofCopy ? ofCopy : copied;
}

function readCommon(value: object): ReadBySchema {
  const fields = ["id", "createdAtMs", "turnId", "phaseId", "taskId", "agent", "pinned", "origin"];
  const common = [...fields, "metadata", "content"].filter((field) => field in value);
  const final = common.map((field) => [field, Reflect.get(value, field)] as const);
  return readBy(finalSchema, { content: "", ...Object.fromEntries(final), type: "final" });
}

function readBy(schema: z.ZodType, value: unknown): ReadBySchema {
  const result = schema.safeParse(value, { error: () => "no words of its own" });
  return result.success ? { entry: result.data } : failureOf(result.error.issues);
}

/** Finds the first failure, in the branch of a union that came furthest: a bad part is not a bad list. */
function failureOf(issues: readonly z.core.$ZodIssue[]): {
  readonly path: string;
  readonly expected: string;
} {
  const [issue] = issues;
  if (issue === undefined) throw new TypeError("Expected an issue");
  const within =
    issue.code === "invalid_union"
      ? issue.errors.find((branch) => branch.some(({ path }) => path.length > 0))
      : undefined;
  const inner = within === undefined ? { path: "", expected: issue.message } : failureOf(within);
  const path = [...issue.path.map(String), inner.path].filter((key) => key !== "").join(".");
  return { path, expected: inner.expected };
}
