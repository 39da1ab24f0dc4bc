import type { Place } from "../place.ts";

/** Fills a place into the fields of an entry, for the names given, where the fields leave them out. */
export function fieldsAt<Fields extends Place>(
  place: Place,
  fields: Fields,
  names: readonly (keyof Place)[] = ["turnId", "phaseId", "taskId", "agent"],
): Fields {
  const missing = names.filter((name) => fields[name] === undefined && place[name] !== undefined);
  return missing.length === 0
    ? fields
    : { ...Object.fromEntries(missing.map((name) => [name, place[name]])), ...fields };
}
