import type { HistoryEntry } from "@agent-history/core";

import type { Scope } from "../scope.ts";

/** A field that a manager fills in where the caller leaves it out. */
export type ScopeField = keyof Scope | "from";

const ALL: readonly (keyof Scope)[] = ["turnId", "phaseId", "taskId", "agent"];

/** Fills a scope into the fields of an entry, for the names given, where the fields leave them out. */
export function fieldsInScope<Fields extends Scope>(
  scope: Scope,
  fields: Fields,
  names: readonly (keyof Scope)[] = ALL,
): Fields {
  const missing = names.filter((name) => fields[name] === undefined && scope[name] !== undefined);
  return missing.length === 0
    ? fields
    : { ...Object.fromEntries(missing.map((name) => [name, scope[name]])), ...fields };
}

/** The fields that a scope fills into entries of a type. A user is no agent: of the scope, the turn alone is theirs. */
export function scopeFieldsOf(type: HistoryEntry["type"]): readonly (keyof Scope)[] {
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

/** The fields that a caller left out, for a scope to fill in. */
export function openFields(given: object): readonly ScopeField[] {
  return SCOPE.filter((name) => Reflect.get(given, name) === undefined);
}

const SCOPE: readonly ScopeField[] = [...ALL, "from"];
