import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";

/**
 * Returns what a provider's object says beyond, or otherwise than, what its entry is rendered as, for `extra` to carry.
 * `undefined` where they are the same.
 *
 * - `fields` what `usual` lacks, or says otherwise
 * - `without` the keys that only `usual` has
 * - `inner` the differences of the objects that both have, by key
 */
export function wireDifference(usual: JsonObject, wire: JsonObject): JsonObject | undefined {
  const without = Object.keys(usual).filter((key) => !Object.hasOwn(wire, key));
  const fields: [string, JsonValue][] = [];
  const inner: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(wire)) {
    const said = Object.hasOwn(usual, key) ? usual[key] : undefined;
    if (said !== undefined && sameJson(said, value)) continue;
    const deeper =
      isJsonObject(said) && isJsonObject(value) ? wireDifference(said, value) : undefined;
    if (deeper === undefined) fields.push([key, value]);
    else inner.push([key, deeper]);
  }
  const difference = {
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
    ...(without.length > 0 && { without }),
    ...(inner.length > 0 && { inner: Object.fromEntries(inner) }),
  };
  return Object.keys(difference).length === 0 ? undefined : difference;
}
