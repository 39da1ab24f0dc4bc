import type { JsonObject, JsonValue } from "@agent-history/core";

/** Leaves out the fields that are not there. */
export function withoutUndefined(fields: {
  readonly [key: string]: JsonValue | undefined;
}): JsonObject {
  const found: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) found.push([key, value]);
  }
  return Object.fromEntries(found);
}
