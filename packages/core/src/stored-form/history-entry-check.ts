import { ENTRY_TYPES } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import type { Check } from "./checks/check.ts";
import { kindsCheck } from "./checks/object-checks.ts";
import {
  assistantMessageCheck,
  attachmentCheck,
  systemMessageCheck,
  userMessageCheck,
} from "./conversation-entry-checks.ts";
import {
  delegationCheck,
  finalCheck,
  globalObservationCheck,
  strategicPlanCheck,
  synthesisCheck,
} from "./coordination-entry-checks.ts";
import { memoryCheck, opaqueCheck, summaryCheck } from "./derived-entry-checks.ts";
import { actionCheck, errorEntryCheck, observationCheck, taskCheck } from "./trace-entry-checks.ts";

/** Takes an entry of any built-in type, as `historyEntrySchema` does: a test holds the two together. */
export const historyEntryCheck: Check<HistoryEntry> = kindsCheck<HistoryEntry, "type">(
  "type",
  {
    system_message: systemMessageCheck,
    user_message: userMessageCheck,
    assistant_message: assistantMessageCheck,
    task: taskCheck,
    action: actionCheck,
    observation: observationCheck,
    error: errorEntryCheck,
    global_observation: globalObservationCheck,
    synthesis: synthesisCheck,
    final: finalCheck,
    strategic_plan: strategicPlanCheck,
    delegation: delegationCheck,
    summary: summaryCheck,
    memory: memoryCheck,
    attachment: attachmentCheck,
    opaque: opaqueCheck,
  },
  { object: "Expected an entry", kind: `Expected one of ${ENTRY_TYPES.join(", ")}` },
);
