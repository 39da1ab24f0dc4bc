import { isEntryType } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { historyEntrySchema } from "./history-entry-schema.ts";
import { compileSchema } from "./internal/compile-schema.ts";
import { parseBy } from "./internal/parse-by.ts";
import { parseOwnEntry } from "./internal/parse-own-entry.ts";

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
