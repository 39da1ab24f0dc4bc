import type { HistoryEntry } from "@agent-history/core";

import type { Scope } from "../scope.ts";

/** A field that a manager fills in where the caller leaves it out. */
export type ScopeField = keyof Scope | "from";

const ALL: readonly (keyof Scope)[] = ["turnId", "phaseId", "taskId", "agent"];

/** The fields thin a scope fills into entries of a type. A user is no agent: of the scope, the turn alone is theirs. */
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

/** The fields that an entry leaves out, for a scope to fill in. */
export function openFields(entry: HistoryEntry): readonly ScopeField[] {
  return SCOPE.filter((name) => !(name in entry));
}

const SCOPE: readonly ScopeField[] = [...ALL, "from"];
