import type { Agent, EntryBase, EntryOrigin, PhaseId } from "../entry-base.ts";
import { refuse } from "./checks/check.ts";
import type { Check } from "./checks/check.ts";
import { jsonObjectCheck } from "./checks/json-checks.ts";
import { optionalField, sealedCheck } from "./checks/object-checks.ts";
import type { FieldChecks } from "./checks/object-checks.ts";
import {
  booleanCheck,
  countCheck,
  nonEmptyTextCheck,
  oneOfCheck,
  textCheck,
} from "./checks/scalar-checks.ts";

/** Takes an agent. */
export const agentCheck: Check<Agent> = sealedCheck<Agent>({
  id: nonEmptyTextCheck,
  role: oneOfCheck(
    ["orchestrator", "manager", "worker"],
    "Expected orchestrator, manager or worker",
  ),
});

const phaseIdCheck: Check<PhaseId> = (value, refusal) => {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  return refuse(refusal, "Expected a string or a finite number", value);
};

const originCheck = sealedCheck<EntryOrigin>({
  format: textCheck,
  message: textCheck,
  index: countCheck,
  derivedId: optionalField(booleanCheck),
  extra: optionalField(jsonObjectCheck),
});

/** The fields that every entry has. */
export const entryBaseChecks: FieldChecks<EntryBase> = {
  id: nonEmptyTextCheck,
  createdAtMs: countCheck,
  turnId: optionalField(nonEmptyTextCheck),
  phaseId: optionalField(phaseIdCheck),
  taskId: optionalField(nonEmptyTextCheck),
  agent: optionalField(agentCheck),
  pinned: optionalField(booleanCheck),
  origin: optionalField(originCheck),
  metadata: optionalField(jsonObjectCheck),
};
