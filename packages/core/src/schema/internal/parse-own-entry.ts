import * as z from "zod";

import type { HistoryEntry } from "../../history-entry.ts";
import { HistoryError } from "../../history-error.ts";
import { contentSchema } from "../content-schemas.ts";
import { entryBaseFields } from "../entry-base-schemas.ts";
import { jsonObjectSchema } from "../json-schemas.ts";
import { parseBy } from "./parse-by.ts";
import { nonEmptyText } from "./scalars.ts";

const commonSchema = z.object({
  type: nonEmptyText,
  ...entryBaseFields,
  content: contentSchema.exactOptional(),
});

/**
 * Parses an entry of a type of the user's own: the common fields and the content as in every entry, and any JSON beside them.
 *
 * @throws as `parseEntry` does.
 */
export function parseOwnEntry(value: unknown): HistoryEntry {
  parseBy(commonSchema, value);
  if (typeof value === "object" && value !== null && Object.hasOwn(value, VERSION_FIELD)) {
    throw takesVersionField(value);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return parseBy(jsonObjectSchema, value) as object as HistoryEntry;
}

/** Where the stored form keeps its version: a field of this name would take its place. */
const VERSION_FIELD = "v";

function takesVersionField(value: object): HistoryError {
  const id: unknown = Reflect.get(value, "id");
  return new HistoryError(
    `Expected no field \`${VERSION_FIELD}\` in an entry: the stored form keeps its version there. Give it another name.`,
    { code: "INVALID_ENTRY", details: { path: VERSION_FIELD, entryId: String(id) } },
  );
}
