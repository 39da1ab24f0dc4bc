import type { HistoryEntry } from "@agent-history/core";

import type { Scope } from "../scope.ts";

const ALL: readonly (keyof Scope)[] = ["turnId", "phaseId", "taskId", "agent"];

/** Fills a scope into the fields of an entry of a type, where they leave it out. Of the scope a user has the turn alone, and a task not the agent, which is its doer. */
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

/** Returns the fields that a caller left out, which a scope fills in. */
export function openFields(given: object): readonly string[] {
  return [...ALL, "from"].filter((name) => Reflect.get(given, name) === undefined);
}
