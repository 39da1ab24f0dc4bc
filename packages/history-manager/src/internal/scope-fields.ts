import type { HistoryEntry } from "@agent-history/core";

import type { Scope } from "../history-manager.ts";

const ALL: readonly (keyof Scope)[] = ["turnId", "phaseId", "taskId", "agent"];

/** User messages take only the turn; a task does not take the agent, which is the one that does it. */
const FIELDS: ReadonlyMap<string, readonly (keyof Scope)[]> = new Map([
  ["user_message", ["turnId"]],
  ["attachment", ["turnId"]],
  ["system_message", ["turnId"]],
  ["task", ["turnId", "phaseId", "taskId"]],
]);

/** Fills missing fields of an entry from the scope. */
export function fieldsInScope<Fields extends Scope>(
  scope: Scope,
  type: HistoryEntry["type"],
  fields: Fields,
): Fields {
  const filled: Partial<Record<keyof Scope, unknown>> = {};
  for (const name of FIELDS.get(type) ?? ALL) {
    if (fields[name] === undefined && scope[name] !== undefined) filled[name] = scope[name];
  }
  return { ...fields, ...filled };
}

/** Returns the fields that a scope fills in because the caller omitted them. */
export function openFields(given: object): readonly string[] {
  return [...ALL, "from"].filter((name) => Reflect.get(given, name) === undefined);
}

/** The id of the delegation that hands over a task: derived, so that a retry has the same one. */
export function delegationIdOf(taskId: string): string {
  return `${taskId}/delegation`;
}
