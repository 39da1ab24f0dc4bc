import type { JsonObject, StrategicPlanEntry } from "@agent-history/core";
import * as z from "zod";

import type { OrchestratorPlan } from "../planners/planner.ts";

/** A plan of phases. */
export type PhasesPlan = Extract<OrchestratorPlan, { readonly kind: "phases" }>;

const schema = z.object({
  goal: z.string(),
  phases: z.array(z.object({ id: z.union([z.string(), z.int()]), goal: z.string() })),
});

/** The plan beside its text, so that another process can continue it. */
export function planMetadata({ goal, phases }: PhasesPlan): JsonObject {
  return { goal, phases: phases.map((phase) => ({ id: phase.id, goal: phase.goal })) };
}

/** Reads the plan that an earlier process kept; nothing where it is none of this team. */
export function readPlan({ metadata }: StrategicPlanEntry): PhasesPlan | undefined {
  const plan = schema.safeParse(metadata).data;
  return plan && { kind: "phases", ...plan };
}
