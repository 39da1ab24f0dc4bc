import * as z from "zod";

import { ENTRY_TYPES } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import {
  assistantMessageSchema,
  attachmentSchema,
  systemMessageSchema,
  userMessageSchema,
} from "./conversation-entry-schemas.ts";
import {
  delegationSchema,
  finalSchema,
  globalObservationSchema,
  strategicPlanSchema,
  synthesisSchema,
} from "./coordination-entry-schemas.ts";
import { memorySchema, summarySchema } from "./derived-entry-schemas.ts";
import { identical } from "./internal/identical.ts";
import { opaqueSchema } from "./opaque-entry-schema.ts";
import {
  actionSchema,
  errorEntrySchema,
  observationSchema,
  taskSchema,
} from "./trace-entry-schemas.ts";

/** Accepts an entry of any built-in type, discriminated by its `type`, and gives a frozen copy. */
export const historyEntrySchema: z.ZodType<HistoryEntry> = identical<HistoryEntry>()(
  z.discriminatedUnion(
    "type",
    [
      systemMessageSchema,
      userMessageSchema,
      assistantMessageSchema,
      taskSchema,
      actionSchema,
      observationSchema,
      errorEntrySchema,
      globalObservationSchema,
      synthesisSchema,
      finalSchema,
      strategicPlanSchema,
      delegationSchema,
      summarySchema,
      memorySchema,
      attachmentSchema,
      opaqueSchema,
    ],
    {
      error: (issue) =>
        issue.code === "invalid_union"
          ? `Expected one of ${ENTRY_TYPES.join(", ")}`
          : "Expected an entry",
    },
  ),
);
