import * as z from "zod";

import { isEntryType } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import { contentSchema } from "./content-schemas.ts";
import { entryBaseFields } from "./entry-base-schemas.ts";
import { historyEntrySchema } from "./history-entry-schema.ts";
import { compileSchema } from "./internal/compile-schema.ts";
import { parseBy } from "./internal/parse-by.ts";
import { nonEmptyText } from "./internal/scalars.ts";
import { jsonObjectSchema } from "./json-schemas.ts";

const commonSchema = z.object({
  type: nonEmptyText,
  ...entryBaseFields,
  content: contentSchema.exactOptional(),
});

/** Where the stored form keeps its version: a field of this name would take its place. */
const VERSION_FIELD = "v";

/**
 * Parses an entry and gives a copy of it, frozen to its depth. Linear in its size; -0 becomes 0, as in JSON.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if a field is missing, wrong or unknown. It names the field's
 * path and the entry's id and type, and quotes nothing else of the value. An optional field is left out, not
 * `undefined`. An entry of a type of the user's own may have any JSON beside the common fields and `content`.
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
  copySound ??= compileSchema(historyEntrySchema);
  const copied = copySound(value);
  if (copied !== undefined) return copied;
  return hasOwnType(value) ? parseOwnEntry(value) : parseBy(historyEntrySchema, value);
}

/** Compiled when first used. */
let copySound: ((value: unknown) => HistoryEntry | undefined) | undefined;

function hasOwnType(value: unknown): boolean {
  const type: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  return typeof type === "string" && type !== "" && !isEntryType(type);
}

/**
 * Parses an entry of a type of the user's own: the common fields and the content as in every entry, and any JSON beside them.
 *
 * @throws as `parseEntry` does.
 */
function parseOwnEntry(value: unknown): HistoryEntry {
  parseBy(commonSchema, value);
  if (typeof value === "object" && value !== null && Object.hasOwn(value, VERSION_FIELD)) {
    throw takesVersionField(value);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return parseBy(jsonObjectSchema, value) as object as HistoryEntry;
}

function takesVersionField(value: object): HistoryError {
  const id: unknown = Reflect.get(value, "id");
  return new HistoryError(
    `Expected no field \`${VERSION_FIELD}\` in an entry: the stored form keeps its version there. Give it another name.`,
    { code: "INVALID_ENTRY", details: { path: VERSION_FIELD, entryId: String(id) } },
  );
}
