import type { HistoryEntry } from "@agent-history/core";

import type { Scope } from "../history-manager.ts";

const ALL: readonly (keyof Scope)[] = ["turnId", "phaseId", "taskId", "agent"];

/** Fills missing fields of an entry from the scope. User messages take only the turn; a task does not take the agent, which is the one that does it. */
export function fieldsInScope<Fields extends Scope>(
  scope: Scope,
  type: HistoryEntry["type"],
  fields: Fields,
): Fields {
  const filled: Partial<Record<keyof Scope, unknown>> = {};
  for (const name of scopeFieldsOf(type)) {
    if (fields[name] === undefined && scope[name] !== undefined) filled[name] = scope[name];
  }
  return { ...fields, ...filled };
}

function scopeFieldsOf(type: HistoryEntry["type"]): readonly (keyof Scope)[] {
  switch (type) {
    case "user_message":
    case "attachment":
    case "system_message":
      return ["turnId"];
    case "task":
      return ["turnId", "phaseId", "taskId"];
    default:
      return ALL;
  }
}

/** Returns the fields that a scope fills in because the caller omitted them. */
export function openFields(given: object): readonly string[] {
  return [...ALL, "from"].filter((name) => Reflect.get(given, name) === undefined);
}

/** The id of the delegation that hands over a task: derived, so that a retry has the same one. */
export function delegationIdOf(taskId: string): string {
  return `${taskId}/delegation`;
}
