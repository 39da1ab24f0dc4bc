import * as z from "zod";

import type { Agent, EntryBase, EntryOrigin, PhaseId } from "../entry-base.ts";
import { identical } from "./internal/identical.ts";
import { count, nonEmptyText, text, unsignedZero } from "./internal/scalars.ts";
import { sealed } from "./internal/sealed.ts";
import { jsonObjectSchema } from "./json-schemas.ts";

/** The schema of each field of a type, for other files to build on. */
type Fields<Type> = {
  readonly [Key in keyof Type]-?: Pick<Type, Key> extends Required<Pick<Type, Key>>
    ? z.ZodType<Type[Key]>
    : z.ZodExactOptional<z.ZodType<Required<Type>[Key]>>;
};

/** The schema of an entry, which a discriminated union can look up by its `type`. */
export type EntrySchema<Entry> = z.ZodType<Entry> & z.core.$ZodTypeDiscriminable;

/** Accepts an agent. */
export const agentSchema: z.ZodType<Agent> = identical<Agent>()(
  sealed({
    id: nonEmptyText,
    role: z.literal(
      ["orchestrator", "manager", "worker"],
      "Expected orchestrator, manager or worker",
    ),
  }),
);

const phaseIdSchema = identical<PhaseId>()(
  z.union([z.string(), z.number().overwrite(unsignedZero)], "Expected a string or a finite number"),
);

const originSchema = identical<EntryOrigin>()(
  sealed({
    format: text,
    message: text,
    index: count,
    derivedId: z.boolean("Expected true or false").exactOptional(),
    extra: jsonObjectSchema.exactOptional(),
  }),
);

const fields = {
  id: nonEmptyText,
  createdAtMs: count,
  turnId: nonEmptyText.exactOptional(),
  phaseId: phaseIdSchema.exactOptional(),
  taskId: nonEmptyText.exactOptional(),
  agent: agentSchema.exactOptional(),
  pinned: z.boolean("Expected true or false").exactOptional(),
  origin: originSchema.exactOptional(),
  metadata: jsonObjectSchema.exactOptional(),
};

identical<EntryBase>()(sealed(fields));

/** The fields that every entry has. */
export const entryBaseFields: Fields<EntryBase> = fields;
