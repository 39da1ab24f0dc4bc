import type { JsonObject } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";

/**
 * Returns whether a difference leaves alone all that `usual` says. What a part and its `extra` both say would stand
 * twice, and an edit of the one would not reach the other.
 */
export function onlyAdds(difference: JsonObject, usual: JsonObject): boolean {
  const { fields = {}, without, inner = {} } = difference;
  if (without !== undefined || !isJsonObject(fields) || !isJsonObject(inner)) return false;
  return (
    Object.keys(fields).every((key) => !Object.hasOwn(usual, key)) &&
    Object.entries(inner).every(([key, deeper]) => {
      const value = usual[key];
      return isJsonObject(value) && isJsonObject(deeper) && onlyAdds(deeper, value);
    })
  );
}
