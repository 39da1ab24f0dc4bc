import * as z from "zod";

import type { HistoryEntry } from "../../history-entry.ts";
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return parseBy(jsonObjectSchema, value) as object as HistoryEntry;
}
