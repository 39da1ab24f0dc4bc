import * as z from "zod";

import { ACTION, ERROR, OBSERVATION, TASK } from "../entry-types.ts";
import type {
  ActionEntry,
  ErrorEntry,
  ObservationEntry,
  Source,
  TaskEntry,
  ToolCall,
} from "../trace-entries.ts";
import { contentSchema } from "./content-schemas.ts";
import { agentSchema, entryBaseFields } from "./entry-base-schemas.ts";
import type { EntrySchema } from "./entry-base-schemas.ts";
import { identical } from "./internal/identical.ts";
import { count, nonEmptyText, text } from "./internal/scalars.ts";
import { sealed } from "./internal/sealed.ts";
import { jsonObjectSchema } from "./json-schemas.ts";

const CALLS = "Expected a list of one or more calls";

const toolCallSchema = identical<ToolCall>()(
  sealed({
    id: nonEmptyText,
    name: nonEmptyText,
    arguments: text,
    kind: z
      .literal(["function", "custom", "approval"], "Expected function, custom or approval")
      .exactOptional(),
    callerId: nonEmptyText.exactOptional(),
    extra: jsonObjectSchema.exactOptional(),
  }),
);

const sourceSchema = identical<Source>()(
  sealed({
    number: count,
    id: nonEmptyText,
    text,
    title: text.exactOptional(),
    uri: text.exactOptional(),
  }),
);

/** Accepts a list of numbered sources. */
export const sourcesSchema: z.ZodType<readonly Source[]> = identical<readonly Source[]>()(
  z.array(sourceSchema, "Expected a list of sources").readonly(),
);

/** Accepts a `task`. */
export const taskSchema: EntrySchema<TaskEntry> = identical<TaskEntry>()(
  sealed({
    type: z.literal(TASK),
    ...entryBaseFields,
    content: contentSchema,
    agent: agentSchema,
    from: agentSchema.exactOptional(),
  }),
);

/** Accepts an `action`. */
export const actionSchema: EntrySchema<ActionEntry> = identical<ActionEntry>()(
  sealed({
    type: z.literal(ACTION),
    ...entryBaseFields,
    content: contentSchema.exactOptional(),
    toolCalls: z.array(toolCallSchema, CALLS).min(1, CALLS).readonly(),
  }),
);

/** Accepts an `observation`. */
export const observationSchema: EntrySchema<ObservationEntry> = identical<ObservationEntry>()(
  sealed({
    type: z.literal(OBSERVATION),
    ...entryBaseFields,
    callId: nonEmptyText,
    toolName: nonEmptyText,
    outcome: z.literal(
      ["success", "error", "denied", "cancelled"],
      "Expected success, error, denied or cancelled",
    ),
    content: contentSchema,
    actionId: nonEmptyText.exactOptional(),
    sources: sourcesSchema.exactOptional(),
  }),
);

/** Accepts an `error`. */
export const errorEntrySchema: EntrySchema<ErrorEntry> = identical<ErrorEntry>()(
  sealed({
    type: z.literal(ERROR),
    ...entryBaseFields,
    content: contentSchema,
    errorType: text.exactOptional(),
  }),
);
