import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject } from "./json.ts";

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

/** What may be shrunk or cleaned after it came: a `null` that once stood there does not hide what stands there now. */
const CONTENT_KEYS: ReadonlySet<string> = new Set(["content", "output"]);

/** Returns an object as it came: what its entry is rendered as, changed by the difference that `extra` carries. */
export function mergeJson(usual: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return usual;
  const without = listOf(extra["without"]);
  const fields = objectOf(extra["fields"]);
  const inner = objectOf(extra["inner"]);
  const stands = (key: string): boolean => CONTENT_KEYS.has(key) && !isEmpty(usual[key]);
  const kept = Object.entries(usual)
    .filter(([key]) => stands(key) || !without.includes(key))
    .map(([key, value]): [string, JsonValue] => {
      const deeper = Object.hasOwn(inner, key) ? inner[key] : undefined;
      const patched = isJsonObject(value) && isJsonObject(deeper);
      return [key, patched ? mergeJson(value, deeper) : value];
    });
  const changed = Object.entries(fields).filter(([key]) => !stands(key));
  return Object.fromEntries([...kept, ...changed]);
}

function isEmpty(value: JsonValue | undefined): boolean {
  return (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
