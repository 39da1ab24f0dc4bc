import type * as z from "zod/mini";

import { isEntryType } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError, isHistoryError } from "../history-error.ts";
import type { StoredEntryProblem } from "../stored-entry-problem.ts";
import { checkValue, kindAt } from "./check-value.ts";
import type { Refusal } from "./check-value.ts";
import { commonFieldsSchema, historyEntrySchema } from "./entry-schemas.ts";
import { jsonObjectSchema } from "./json-schemas.ts";

/**
 * The version of the stored form that {@link encodeEntry} writes. A release that adds a built-in type or field writes such entries with a
 * higher version, so that older releases report them and do not mistake a new type for a custom one.
 */
export const STORED_VERSION = 1;

/** An entry as a store keeps it: plain JSON, with the version `v` of the stored form. */
export type StoredEntry = HistoryEntry & { readonly v: typeof STORED_VERSION };

/** The field that holds the version of the stored form. Entries may not have a field of this name. */
const VERSION_FIELD = "v";

interface StoredFields {
  readonly [VERSION_FIELD]?: unknown;
}

/**
 * Parses an entry and gives a copy of it, frozen to its depth. Linear in its size; -0 becomes 0, as in JSON.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if a field is missing, wrong or unknown. It names the field's
 * path and the entry's id and type, and quotes nothing else of the value. An optional field is left out, not
 * `undefined`. A custom entry may hold any JSON beside the common fields and `content`.
 *
 * @example
 * ```ts
 * import { parseEntry } from "@agent-history/core/schema";
 *
 * parseEntry({ type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" });
 * // => { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }
 * ```
 */
export function parseEntry(value: unknown): HistoryEntry {
  return readable(() => {
    if (!hasOwnType(value)) return parsed(historyEntrySchema, value);
    parsed(commonFieldsSchema, value);
    if (Object.hasOwn(value, VERSION_FIELD)) {
      throw invalidEntry(value, {
        message: `Expected no field \`${VERSION_FIELD}\` (the stored form keeps its version there; use another name)`,
        path: VERSION_FIELD,
      });
    }
    const copy = parsed(jsonObjectSchema, value);
    // Check the copy, which is what gets stored: it has no inherited or hidden fields, and a getter may return something else the second time.
    parsed(commonFieldsSchema, copy);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
    return copy as HistoryEntry & typeof copy;
  });
}

/**
 * Returns the form of an entry that a store keeps as JSON. Checks it first, so that nothing is written that
 * `decodeEntry` could not read.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the entry breaks its type.
 */
export function encodeEntry(entry: HistoryEntry): StoredEntry {
  return { v: STORED_VERSION, ...parseEntry(entry) };
}

/**
 * Reads an entry from its stored form.
 *
 * @param stored - What `encodeEntry` gave, or the JSON text of that.
 * @throws `HistoryError` with code `UNKNOWN_VERSION` if it is of another version, and `INVALID_ENTRY` where it
 * cannot be read. Neither quotes content.
 *
 * @example
 * ```ts
 * import { decodeEntry, encodeEntry } from "@agent-history/core/schema";
 *
 * const text = JSON.stringify(
 *   encodeEntry({ type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }),
 * );
 * // => '{"v":1,"type":"user_message","id":"u1","createdAtMs":0,"content":"Hello"}'
 * decodeEntry(text);
 * // => { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }
 * ```
 */
export function decodeEntry(stored: unknown): HistoryEntry {
  return readable(() => {
    const row = typeof stored === "string" ? parseJson(stored) : stored;
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw invalidEntry(row, { message: "Expected an object or its JSON text", path: "" });
    }
    // Copies an own key named `__proto__` too, so that it is refused.
    const { [VERSION_FIELD]: version, ...fields }: StoredFields = row;
    if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
      throw invalidEntry(row, { message: "Expected a positive integer", path: VERSION_FIELD });
    }
    if (version !== STORED_VERSION) throw unknownVersion(version, nameOf(row, "id"));
    return parseEntry(fields);
  });
}

/**
 * Reads stored entries in order. A row that cannot be read is reported with its position in
 * `rows` and left out; the other rows are read. A row of a newer version is reported as `newer`: keep it. A type that is not built in is a custom one.
 */
export function decodeEntries(rows: readonly unknown[]): {
  readonly entries: readonly HistoryEntry[];
  readonly problems: readonly StoredEntryProblem[];
} {
  const entries: HistoryEntry[] = [];
  const problems: StoredEntryProblem[] = [];
  for (const [position, row] of rows.entries()) {
    try {
      entries.push(decodeEntry(row));
    } catch (error) {
      if (!isHistoryError(error)) throw error;
      const { entryId, path } = error.details;
      problems.push({
        position,
        ...(typeof entryId === "string" && { entryId }),
        ...(typeof path === "string" && path !== "" && { path }),
        kind: error.code === "UNKNOWN_VERSION" ? "newer" : "broken",
        reason: error.message,
      });
    }
  }
  return { entries, problems };
}

function hasOwnType(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const type: unknown = Reflect.get(value, "type");
  return typeof type === "string" && type !== "" && !isEntryType(type);
}

function parsed<Parsed>(schema: z.ZodMiniType<Parsed>, value: unknown): Parsed {
  const read = checkValue(schema, value);
  if ("value" in read) return read.value;
  throw invalidEntry(value, read.refusal);
}

/** Hides errors that the value itself throws, even a `HistoryError`. */
function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (isHistoryError(error) && refusals.has(error)) throw error;
    throw new HistoryError(
      "Expected JSON; got a value that throws when it is read, is cyclic, or is nested too deeply.",
      { code: "INVALID_ENTRY", details: { path: "" } },
    );
  }
}

/** Errors created in this file. */
const refusals = new WeakSet<HistoryError>();

function invalidEntry(
  value: unknown,
  {
    message,
    path,
    received = kindAt(value, path === "" ? [] : [path]),
  }: Pick<Refusal, "message" | "path"> & Partial<Refusal>,
): HistoryError {
  const [entryId, entryType] = [nameOf(value, "id"), nameOf(value, "type")];
  const at = path === "" ? "" : ` at \`${path}\``;
  const of = entryId === undefined ? "" : ` of entry ${quote(entryId)}`;
  const got = path === "type" && entryType !== undefined ? quote(entryType) : received;
  return refusal(`${message}${at}${of}; got ${got}.`, {
    code: "INVALID_ENTRY",
    details: { path, entryId, entryType },
  });
}

function refusal(...parameters: ConstructorParameters<typeof HistoryError>): HistoryError {
  const error = new HistoryError(...parameters);
  refusals.add(error);
  return error;
}

function unknownVersion(version: number, entryId: string | undefined): HistoryError {
  return refusal(
    `Expected a stored entry of version ${STORED_VERSION}; got version ${version}. Keep it, and read it with the release that wrote it.`,
    { code: "UNKNOWN_VERSION", details: { version, entryId } },
  );
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The engine's own error quotes the text.
    throw refusal("Expected the JSON text of a stored entry; got text that is not JSON.", {
      code: "INVALID_ENTRY",
      details: { path: "" },
    });
  }
}

function nameOf(value: unknown, key: string): string | undefined {
  const name: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
