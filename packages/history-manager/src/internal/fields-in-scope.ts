import type { Scope } from "../scope.ts";

/** Fills a scope into the fields of an entry, for the names given, where the fields leave them out. */
export function fieldsInScope<Fields extends Scope>(
  scope: Scope,
  fields: Fields,
  names: readonly (keyof Scope)[] = ["turnId", "phaseId", "taskId", "agent"],
): Fields {
  const missing = names.filter((name) => fields[name] === undefined && scope[name] !== undefined);
  return missing.length === 0
    ? fields
    : { ...Object.fromEntries(missing.map((name) => [name, scope[name]])), ...fields };
}
