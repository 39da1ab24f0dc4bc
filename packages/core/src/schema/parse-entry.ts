import type * as z from "zod/mini";

import { isEntryType } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import { isObject } from "../json.ts";
import { readOr } from "../over-readable.ts";
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
  const type = nameOf(value, "type");
  if (type === undefined || isEntryType(type)) return parsed(historyEntrySchema, value);
  const copy = parsed(jsonObjectSchema, value);
  parsed(commonFieldsSchema, copy);
  if (Object.hasOwn(copy, VERSION_FIELD)) {
    throw invalidEntry(value, {
      message: `Expected no field \`${VERSION_FIELD}\` (the stored form keeps its version there; use another name)`,
      path: VERSION_FIELD,
      received: kindAt(copy, [VERSION_FIELD]),
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return copy as HistoryEntry & typeof copy;
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
  // The engine's own error would quote the text.
  const row = readOr(undefined, () => (typeof stored === "string" ? JSON.parse(stored) : stored));
  // Copies an own key named `__proto__` too, so that it is refused.
  const copy = isObject(row) ? readOr(undefined, () => ({ ...row })) : undefined;
  if (copy === undefined) {
    const received = typeof stored === "string" ? "other text" : kindAt(stored, []);
    throw invalidEntry(row, { message: "Expected an object or its JSON text", path: "", received });
  }
  const { [VERSION_FIELD]: version, ...fields }: StoredFields = copy;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    const received = kindAt(version, []);
    const message = "Expected a positive integer";
    throw invalidEntry(row, { message, path: VERSION_FIELD, received });
  }
  if (version === STORED_VERSION) return parseEntry(fields);
  throw new HistoryError(
    `Expected a stored entry of version ${STORED_VERSION}; got version ${version}. Keep it, and read it with the release that wrote it.`,
    { code: "UNKNOWN_VERSION", details: { version, entryId: nameOf(row, "id") } },
  );
}

function parsed<Parsed>(schema: z.ZodMiniType<Parsed>, value: unknown): Parsed {
  const read = checkValue(schema, value);
  if ("value" in read) return read.value;
  throw invalidEntry(value, read.refusal);
}

function invalidEntry(value: unknown, { message, path, received }: Refusal): HistoryError {
  const [entryId, entryType] = [nameOf(value, "id"), nameOf(value, "type")];
  const at = path === "" ? "" : ` at \`${path}\``;
  const of = entryId === undefined ? "" : ` of entry ${quote(entryId)}`;
  const got = path === "type" && entryType !== undefined ? quote(entryType) : received;
  return new HistoryError(`${message}${at}${of}; got ${got}.`, {
    code: "INVALID_ENTRY",
    details: { path, entryId, entryType },
  });
}

function nameOf(value: unknown, key: string): string | undefined {
  const name: unknown = readOr(undefined, () => (isObject(value) ? value[key] : undefined));
  return typeof name === "string" && name !== "" ? name : undefined;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
