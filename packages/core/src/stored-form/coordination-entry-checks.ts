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
import type { Check } from "./checks/check.ts";
import { optionalField, sealedCheck } from "./checks/object-checks.ts";
import { literalCheck } from "./checks/scalar-checks.ts";
import { contentCheck } from "./content-checks.ts";
import { agentCheck, entryBaseChecks } from "./entry-base-checks.ts";
import { sourcesCheck } from "./trace-entry-checks.ts";

/** Takes a `global_observation`. */
export const globalObservationCheck: Check<GlobalObservationEntry> =
  sealedCheck<GlobalObservationEntry>({
    type: literalCheck(GLOBAL_OBSERVATION),
    ...entryBaseChecks,
    content: contentCheck,
    sources: optionalField(sourcesCheck),
  });

/** Takes a `synthesis`. */
export const synthesisCheck: Check<SynthesisEntry> = sealedCheck<SynthesisEntry>({
  type: literalCheck(SYNTHESIS),
  ...entryBaseChecks,
  content: contentCheck,
});

/** Takes a `final`. */
export const finalCheck: Check<FinalEntry> = sealedCheck<FinalEntry>({
  type: literalCheck(FINAL),
  ...entryBaseChecks,
  content: contentCheck,
});

/** Takes a `strategic_plan`. */
export const strategicPlanCheck: Check<StrategicPlanEntry> = sealedCheck<StrategicPlanEntry>({
  type: literalCheck(STRATEGIC_PLAN),
  ...entryBaseChecks,
  content: contentCheck,
});

/** Takes a `delegation`. */
export const delegationCheck: Check<DelegationEntry> = sealedCheck<DelegationEntry>({
  type: literalCheck(DELEGATION),
  ...entryBaseChecks,
  content: contentCheck,
  to: optionalField(agentCheck),
});
