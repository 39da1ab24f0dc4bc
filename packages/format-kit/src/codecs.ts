import { sameJson } from "@agent-history/core";
import type { Content, ContentPart, JsonObject, JsonValue, ToolCall } from "@agent-history/core";

import { partsOf } from "./content.ts";
import { isJsonObject, parseJson } from "./json.ts";

/** How a format reads and writes content parts. Fields that a part does not have are handled by {@link readPart} and {@link writePart}. */
export interface PartCodec {
  /** Returns the part; `undefined` for an unknown kind. */
  readonly read: (wire: JsonObject) => ContentPart | undefined;
  /** Writes the part; `undefined` if the format cannot express it. */
  readonly write: (part: ContentPart) => JsonObject | undefined;
}

/** How a format reads and writes a tool call. Fields that a call does not have are handled by {@link readCall} and {@link writeCall}. */
export interface CallCodec {
  /** Returns the call with its original name and arguments, with `fallbackId` if it has no id. */
  readonly read: (wire: JsonObject, fallbackId: string) => ToolCall | undefined;
  readonly write: (call: ToolCall) => JsonObject;
}

/** Reads text or a list of parts; anything else becomes empty content. */
export function readContent(wire: JsonValue | undefined, codec: PartCodec): Content {
  if (typeof wire === "string") return wire;
  return Array.isArray(wire) ? wire.map((part: JsonValue) => readPart(part, codec)) : "";
}

/** Reads a part with all its fields. A part that the codec does not know or cannot write back becomes an opaque part. */
export function readPart(wire: JsonValue, codec: PartCodec): ContentPart {
  const opaque: ContentPart = { type: "opaque", data: wire };
  const part = isJsonObject(wire) ? codec.read(wire) : undefined;
  const usual = part === undefined ? undefined : codec.write(part);
  if (!isJsonObject(wire) || part === undefined || usual === undefined) return opaque;
  const difference = wireDifference(usual, wire);
  if (difference === undefined) return part;
  return onlyAdds(difference, usual)
    ? { ...part, extra: { ...part.extra, ...difference } }
    : opaque;
}

/** Writes content: text as text, parts as a list. */
export function writeContent(
  content: Content,
  codec: PartCodec,
  isOwn: boolean,
): string | readonly JsonValue[] {
  return typeof content === "string" ? content : writeParts(content, codec, isOwn);
}

/** Writes content as a list of parts. */
export function writeParts(
  content: Content,
  codec: PartCodec,
  isOwn: boolean,
): readonly JsonValue[] {
  return partsOf(content)
    .map((part) => writePart(part, codec, isOwn))
    .filter((part) => part !== undefined);
}

/** Writes a part; a part of another format without its format-specific data. */
export function writePart(
  part: ContentPart,
  codec: PartCodec,
  isOwn: boolean,
): JsonValue | undefined {
  if (part.type === "opaque") return isOwn ? part.data : undefined;
  if (!isOwn && part.type === "reasoning") return undefined;
  const { extra, ...foreign } = part;
  const usual = codec.write(isOwn ? part : foreign);
  return usual === undefined ? undefined : mergeJson(usual, isOwn ? extra : undefined);
}

/**
 * Reads a call with all its fields; an unknown kind becomes an opaque part. A call without an id or a type gets one, and its
 * `extra` records that.
 */
export function readCall(
  wire: JsonValue,
  codec: CallCodec,
  fallbackId: string,
): ToolCall | ContentPart {
  const call = isJsonObject(wire) ? codec.read(wire, fallbackId) : undefined;
  if (!isJsonObject(wire) || call === undefined) return { type: "opaque", data: wire };
  const difference = wireDifference(codec.write(call), wire);
  return difference === undefined ? call : { ...call, extra: { ...call.extra, ...difference } };
}

/** Writes a call; a call of another format without its format-specific data. */
export function writeCall(call: ToolCall, codec: CallCodec, isOwn: boolean): JsonObject {
  const { extra, ...foreign } = call;
  return mergeJson(codec.write(isOwn ? call : foreign), isOwn ? extra : undefined);
}

/** Parses arguments; text that is not JSON becomes a field of an object, because a call needs an object. */
export function argumentsOf(text: string): JsonValue {
  return parseJson(text) ?? (text === "" ? {} : { arguments: text });
}

/** Returns whether a value is a call rather than a part. */
export function isToolCall(value: ToolCall | ContentPart): value is ToolCall {
  return "arguments" in value;
}

/**
 * Returns how a provider's object differs from what its entry is written as (`usual`), to be kept in `extra`; `undefined` if they are equal.
 * - `fields`: fields that `usual` lacks or that have another value
 * - `without`: keys that only `usual` has
 * - `inner`: differences of nested objects that both have, by key
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
 * Returns whether a difference replaces a value of `usual`, other than a role or with an empty value. If both stated the value,
 * an edit of the entry would not reach the message.
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
 * Returns whether a difference only adds fields to `usual`. If a part and its `extra` both stated a value,
 * an edit of the one would not reach the other.
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

/** Fields that may be shortened or cleaned after reading: an original `null` must not replace their present value. */
const CONTENT_KEYS: ReadonlySet<string> = new Set(["content", "output"]);

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

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
