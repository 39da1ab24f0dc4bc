import type { JsonObject } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";

/**
 * Returns whether a difference says otherwise what `usual` says, by more than a role or that nothing is there. Said
 * twice, an edit of the entry would not reach the message.
 */
export function contradicts(difference: JsonObject, usual: JsonObject): boolean {
  const { fields = {}, inner = {} } = difference;
  if (!isJsonObject(fields) || !isJsonObject(inner)) return false;
  const saysOtherwise = Object.entries(fields).some(
    ([key, value]) => key !== "role" && Object.hasOwn(usual, key) && value !== null && value !== "",
  );
  return (
    saysOtherwise ||
    Object.entries(inner).some(([key, deeper]) => {
      const value = usual[key];
      return isJsonObject(deeper) && isJsonObject(value) && contradicts(deeper, value);
    })
  );
}
