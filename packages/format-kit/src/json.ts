import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue } from "@agent-history/core";

/** Returns whether a JSON value is an object, i.e. neither an array nor `null`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a string; `undefined` for anything else. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns an id or a name; `undefined` for anything but a non-empty string. */
export function nameOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns an index; `undefined` for anything but a number. */
export function indexOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Parses JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Removes fields that are `undefined`. */
export function withoutUndefined(fields: {
  readonly [key: string]: JsonValue | undefined;
}): JsonObject {
  const found: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) found.push([key, value]);
  }
  return Object.fromEntries(found);
}

/** Converts an object to JSON; `undefined` applies the usual rules of JSON. `inner` converts a field. */
export type ReplaceObject = (
  value: object,
  inner: (field: unknown) => JsonValue,
) => JsonValue | undefined;

/** Deeper levels are cut. An entry may have 256 levels, and a message is some levels deep in its entry. */
const MAX_DEPTH = 200;

/**
 * Converts a value to JSON: `undefined` and functions are removed, `NaN` becomes `null`, -0 becomes 0, a `Date` text. Never throws: unreadable fields
 * are removed, and `null` replaces cycles and anything deeper than 200 levels.
 */
export function toJson(value: unknown, replace?: ReplaceObject): JsonValue {
  return convert(value, { replace, above: [] });
}

/** Converts an object to JSON, as {@link toJson} does. `__proto__` is an ordinary key. */
export function toJsonObject(value: object, replace?: ReplaceObject): JsonObject {
  return convertFields(value, { replace, above: [value] });
}

interface Walk {
  readonly replace: ReplaceObject | undefined;
  /** The objects that contain the value. */
  readonly above: object[];
}

function convert(value: unknown, walk: Walk): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object") return null;
  const { above } = walk;
  if (above.length >= MAX_DEPTH || above.includes(value)) return null;
  above.push(value);
  try {
    return convertObject(value, walk);
  } catch {
    return null;
  } finally {
    above.pop();
  }
}

function convertObject(value: object, walk: Walk): JsonValue {
  const replaced = walk.replace?.(value, (field) =>
    // A replacement is one level deeper than its original.
    convert(field, { ...walk, above: [...walk.above, value, value] }),
  );
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => convert(item, walk));
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return convert(value.toJSON(), { ...walk, replace: undefined });
  }
  return convertFields(value, walk);
}

function convertFields(value: object, walk: Walk): JsonObject {
  const fields: [string, JsonValue][] = [];
  for (const key of keysOf(value)) {
    try {
      const field: unknown = Reflect.get(value, key);
      if (field !== undefined && typeof field !== "function") {
        fields.push([key, convert(field, walk)]);
      }
    } catch {
      // An unreadable field is left out.
    }
  }
  return Object.fromEntries(fields);
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

/** Keys of single-key objects that represent values without a JSON form. */
const MARKS = ["$url", "$bytes", "$buffer", "$json"] as const;

/**
 * Returns a message as JSON: a `URL` as `{ $url }`, bytes as `{ $bytes }` and an `ArrayBuffer` as `{ $buffer }`, both in
 * base64. An object that looks like one of these is escaped as `{ $json }`.
 */
export function packBinary(message: object): JsonObject {
  return toJsonObject(message, replaceObject);
}

/**
 * Reverses {@link packBinary}. A `Buffer` becomes a plain `Uint8Array`; an invalid URL or
 * invalid base64 stays text.
 */
export function unpackBinary(packed: JsonObject): object {
  return Object.fromEntries(Object.entries(packed).map(([key, value]) => [key, unpack(value)]));
}

function replaceObject(value: object, inner: (field: unknown) => JsonValue): JsonValue | undefined {
  if (value instanceof URL) return { $url: value.href };
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (value instanceof ArrayBuffer) return { $buffer: toBase64(new Uint8Array(value)) };
  return markOf(value) === undefined
    ? undefined
    : { $json: Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)])) };
}

function unpack(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map((item: JsonValue) => unpack(item));
  if (!isJsonObject(value)) return value;
  const mark = markOf(value);
  const payload = mark === undefined ? undefined : value[mark];
  if (mark === "$json" && isJsonObject(payload)) return unpackBinary(payload);
  if (typeof payload !== "string") return unpackBinary(value);
  if (mark === "$url") return URL.canParse(payload) ? new URL(payload) : payload;
  const bytes = fromBase64(payload);
  if (bytes === undefined) return payload;
  return mark === "$bytes" ? bytes : bytes.buffer;
}

function markOf(value: object): (typeof MARKS)[number] | undefined {
  const [key, ...others] = Object.keys(value);
  return others.length === 0 ? MARKS.find((mark) => mark === key) : undefined;
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return btoa(text);
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

/**
 * Returns how a provider's object differs from what its entry is written as (`usual`), to be kept in `extra`; `undefined` if they are equal.
 * - `fields`: fields that `usual` lacks or that have another value
 * - `without`: keys that only `usual` has
 * - `inner`: differences of nested objects that both have, by key
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
 * Returns whether a difference replaces a value of `usual`, other than a role or with an empty value. If both stated the value,
 * an edit of the entry would not reach the message.
 */
export function contradicts(difference: JsonObject, usual: JsonObject): boolean {
  return changesIn(difference, usual).some(
    ([key, value]) => key !== "role" && (value ?? "") !== "",
  );
}

/**
 * Returns whether a difference only adds fields to `usual`. If a part and its `extra` both stated a value,
 * an edit of the one would not reach the other.
 */
export function onlyAdds(difference: JsonObject, usual: JsonObject): boolean {
  return changesIn(difference, usual).length === 0;
}

/** Returns the fields of `usual` that a difference removes (`null`), and those that it replaces, with the new value. */
function changesIn(
  difference: JsonObject,
  usual: JsonObject,
): readonly (readonly [key: string, value: JsonValue])[] {
  const { without, fields, inner } = difference;
  return [
    ...listOf(without).map((key) => [textOf(key) ?? "", null] as const),
    ...Object.entries(objectOf(fields)).filter(([key]) => Object.hasOwn(usual, key)),
    ...Object.entries(objectOf(inner)).flatMap(([key, deeper]) =>
      changesIn(objectOf(deeper), objectOf(usual[key])),
    ),
  ];
}

/** Fields that may be changed after reading: an original `null` or empty list must not replace their present value. */
const CONTENT_KEYS: ReadonlySet<string> = new Set(["content", "output", "tool_calls"]);

/** Restores an original object: applies the difference in `extra` to what the entry is written as. */
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

/** Returns an object; an empty one for any other value. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : EMPTY;
}

const EMPTY: JsonObject = {};

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Returns whether all strings of a value, including its keys, are valid Unicode. Linear; copies nothing. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isFields(value)) return true;
  for (const key in value) {
    const field = value[key];
    const isWell = typeof field === "string" ? field.isWellFormed() : isWellFormed(field);
    if (!isWell || !key.isWellFormed()) return false;
  }
  return true;
}

function isFields(value: object): value is { readonly [key: string]: unknown } {
  return !Array.isArray(value);
}

/** Half a surrogate pair, as `JSON.stringify` writes it; not a text that only looks like it. */
const HALF = /\\ud[89a-f][\da-f]{2}(?<=(?<!\\)(?:\\\\)*\\u.{4})/gu;

/** Returns a JSON value with lone surrogates replaced by the replacement character; the same value if there are none. */
export function toWellFormed<Value>(value: Value): Value {
  if (isWellFormed(value)) return value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same value, with other texts
  return JSON.parse(JSON.stringify(value).replaceAll(HALF, "\\ufffd")) as Value;
}

const HALF_ESCAPE = /\\ud[89a-f][\da-f]{2}/iu;

/** Returns JSON text without lone surrogates, including escaped ones. */
export function wellFormedJson(text: string): string {
  const value = HALF_ESCAPE.test(text) ? parseJson(text) : undefined;
  return value === undefined || isWellFormed(value) ? text : JSON.stringify(toWellFormed(value));
}
