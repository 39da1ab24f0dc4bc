import * as z from "zod";

import type {
  DelegationEntry,
  FinalEntry,
  GlobalObservationEntry,
  StrategicPlanEntry,
  SynthesisEntry,
} from "../coordination-entries.ts";
import {
  DELEGATION,
  FINAL,
  GLOBAL_OBSERVATION,
  STRATEGIC_PLAN,
  SYNTHESIS,
} from "../entry-types.ts";
import { contentSchema } from "./content-schemas.ts";
import { agentSchema, entryBaseFields } from "./entry-base-schemas.ts";
import type { EntrySchema } from "./entry-base-schemas.ts";
import { identical } from "./internal/identical.ts";
import { sealed } from "./internal/sealed.ts";
import { sourcesSchema } from "./trace-entry-schemas.ts";

/** Accepts a `global_observation`. */
export const globalObservationSchema: EntrySchema<GlobalObservationEntry> =
  identical<GlobalObservationEntry>()(
    sealed({
      type: z.literal(GLOBAL_OBSERVATION),
      ...entryBaseFields,
      content: contentSchema,
      sources: sourcesSchema.exactOptional(),
    }),
  );

/** Accepts a `synthesis`. */
export const synthesisSchema: EntrySchema<SynthesisEntry> = identical<SynthesisEntry>()(
  sealed({ type: z.literal(SYNTHESIS), ...entryBaseFields, content: contentSchema }),
);

/** Accepts a `final`. */
export const finalSchema: EntrySchema<FinalEntry> = identical<FinalEntry>()(
  sealed({ type: z.literal(FINAL), ...entryBaseFields, content: contentSchema }),
);

/** Accepts a `strategic_plan`. */
export const strategicPlanSchema: EntrySchema<StrategicPlanEntry> = identical<StrategicPlanEntry>()(
  sealed({ type: z.literal(STRATEGIC_PLAN), ...entryBaseFields, content: contentSchema }),
);

/** Accepts a `delegation`. */
export const delegationSchema: EntrySchema<DelegationEntry> = identical<DelegationEntry>()(
  sealed({
    type: z.literal(DELEGATION),
    ...entryBaseFields,
    content: contentSchema,
    to: agentSchema.exactOptional(),
  }),
);
