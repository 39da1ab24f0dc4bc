import * as z from "zod";

import { OPAQUE } from "../entry-types.ts";
import type { OpaqueEntry } from "../opaque-entry.ts";
import { contentSchema } from "./content-schemas.ts";
import { entryBaseFields } from "./entry-base-schemas.ts";
import type { EntrySchema } from "./entry-base-schemas.ts";
import { identical } from "./internal/identical.ts";
import { sealed } from "./internal/sealed.ts";
import { jsonValueSchema } from "./json-schemas.ts";

/** Accepts an `opaque`. */
export const opaqueSchema: EntrySchema<OpaqueEntry> = identical<OpaqueEntry>()(
  sealed({
    type: z.literal(OPAQUE),
    ...entryBaseFields,
    data: jsonValueSchema,
    content: contentSchema.exactOptional(),
  }),
);
