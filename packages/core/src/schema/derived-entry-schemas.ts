import * as z from "zod";

import type { EntryRun, MemoryEntry, SummaryEntry, Trust } from "../derived-entries.ts";
import { MEMORY, SUMMARY } from "../entry-types.ts";
import type { HistoryView } from "../history-view.ts";
import { contentSchema } from "./content-schemas.ts";
import { entryBaseFields } from "./entry-base-schemas.ts";
import type { EntrySchema } from "./entry-base-schemas.ts";
import { identical } from "./internal/identical.ts";
import { nonEmptyText, text } from "./internal/scalars.ts";
import { sealed } from "./internal/sealed.ts";

const trustSchema = identical<Trust>()(
  z.literal(["system", "user", "tool"], "Expected system, user or tool"),
);

const viewSchema = identical<HistoryView>()(
  z.union(
    [z.literal(["thread", "conversation"]), z.templateLiteral(["agent:", z.string().min(1)])],
    "Expected thread, conversation or agent:<id>",
  ),
);

const entryRunSchema = identical<EntryRun>()(sealed({ from: nonEmptyText, to: nonEmptyText }));

/** Accepts a `summary`. */
export const summarySchema: EntrySchema<SummaryEntry> = identical<SummaryEntry>()(
  sealed({
    type: z.literal(SUMMARY),
    ...entryBaseFields,
    content: contentSchema,
    strategy: text,
    trust: trustSchema,
    view: viewSchema.exactOptional(),
    covers: z.array(entryRunSchema, "Expected a list of runs").readonly().exactOptional(),
  }),
);

/** Accepts a `memory`. */
export const memorySchema: EntrySchema<MemoryEntry> = identical<MemoryEntry>()(
  sealed({
    type: z.literal(MEMORY),
    ...entryBaseFields,
    content: contentSchema,
    trust: trustSchema.exactOptional(),
  }),
);
