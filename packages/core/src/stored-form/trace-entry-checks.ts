import { ACTION, ERROR, OBSERVATION, TASK } from "../entry-types.ts";
import type {
  ActionEntry,
  ErrorEntry,
  ObservationEntry,
  Source,
  TaskEntry,
  ToolCall,
} from "../trace-entries.ts";
import type { Check } from "./checks/check.ts";
import { jsonObjectCheck } from "./checks/json-checks.ts";
import { listCheck } from "./checks/list-checks.ts";
import { optionalField, sealedCheck } from "./checks/object-checks.ts";
import {
  countCheck,
  literalCheck,
  nonEmptyTextCheck,
  oneOfCheck,
  textCheck,
} from "./checks/scalar-checks.ts";
import { contentCheck } from "./content-checks.ts";
import { agentCheck, entryBaseChecks } from "./entry-base-checks.ts";

const toolCallCheck = sealedCheck<ToolCall>({
  id: nonEmptyTextCheck,
  name: nonEmptyTextCheck,
  arguments: textCheck,
  kind: optionalField(
    oneOfCheck(["function", "custom", "approval"], "Expected function, custom or approval"),
  ),
  callerId: optionalField(nonEmptyTextCheck),
  extra: optionalField(jsonObjectCheck),
});

const sourceCheck = sealedCheck<Source>({
  number: countCheck,
  id: nonEmptyTextCheck,
  text: textCheck,
  title: optionalField(textCheck),
  uri: optionalField(textCheck),
});

/** Takes a list of numbered sources. */
export const sourcesCheck: Check<readonly Source[]> = listCheck(sourceCheck, {
  message: "Expected a list of sources",
});

/** Takes a `task`. */
export const taskCheck: Check<TaskEntry> = sealedCheck<TaskEntry>({
  type: literalCheck(TASK),
  ...entryBaseChecks,
  content: contentCheck,
  agent: agentCheck,
  from: optionalField(agentCheck),
});

/** Takes an `action`. */
export const actionCheck: Check<ActionEntry> = sealedCheck<ActionEntry>({
  type: literalCheck(ACTION),
  ...entryBaseChecks,
  content: optionalField(contentCheck),
  toolCalls: listCheck(toolCallCheck, {
    least: 1,
    message: "Expected a list of one or more calls",
  }),
});

/** Takes an `observation`. */
export const observationCheck: Check<ObservationEntry> = sealedCheck<ObservationEntry>({
  type: literalCheck(OBSERVATION),
  ...entryBaseChecks,
  callId: nonEmptyTextCheck,
  toolName: nonEmptyTextCheck,
  outcome: oneOfCheck(
    ["success", "error", "denied", "cancelled"],
    "Expected success, error, denied or cancelled",
  ),
  content: contentCheck,
  actionId: optionalField(nonEmptyTextCheck),
  sources: optionalField(sourcesCheck),
});

/** Takes an `error`. */
export const errorEntryCheck: Check<ErrorEntry> = sealedCheck<ErrorEntry>({
  type: literalCheck(ERROR),
  ...entryBaseChecks,
  content: contentCheck,
  errorType: optionalField(textCheck),
});
