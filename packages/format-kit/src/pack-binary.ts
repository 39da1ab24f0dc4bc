import type { JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject, toJsonObject } from "./json.ts";

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
    : { $json: Object.entries(value).map(([key, field]) => [key, inner(field)]) };
}

function unpack(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map((item: JsonValue) => unpack(item));
  if (!isJsonObject(value)) return value;
  const mark = markOf(value);
  const payload = mark === undefined ? undefined : value[mark];
  if (mark === "$json" && Array.isArray(payload)) return unpackEntries(payload);
  if (typeof payload !== "string") return unpackBinary(value);
  if (mark === "$url") return URL.canParse(payload) ? new URL(payload) : payload;
  const bytes = fromBase64(payload);
  if (bytes === undefined) return payload;
  return mark === "$bytes" ? bytes : bytes.buffer;
}

function unpackEntries(entries: readonly JsonValue[]): unknown {
  const [entry] = entries;
  const [key, field] = Array.isArray(entry) ? entry : [];
  return typeof key === "string" && field !== undefined ? { [key]: unpack(field) } : {};
}

function markOf(value: object): (typeof MARKS)[number] | undefined {
  const [key, ...others] = Object.keys(value);
  return others.length === 0 ? MARKS.find((mark) => mark === key) : undefined;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(""));
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}
