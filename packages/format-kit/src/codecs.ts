import { sameJson } from "@agent-history/core";
import type { Content, ContentPart, JsonObject, JsonValue, ToolCall } from "@agent-history/core";

import { partsOf } from "./content.ts";
import { isJsonObject, parseJson } from "./json.ts";

/** How a format writes the parts of a content. Neither direction handles fields that no part has. */
export interface PartCodec {
  /** Returns the part; `undefined` for a kind that no part has. */
  readonly read: (wire: JsonObject) => ContentPart | undefined;
  /** Writes the part; `undefined` if the format has no such part. */
  readonly write: (part: ContentPart) => JsonObject | undefined;
}

/** How a format writes a tool call. Neither direction handles fields that no call has. */
export interface CallCodec {
  /** Returns the call, name and arguments as they came, under `fallbackId` if it came without an id. */
  readonly read: (wire: JsonObject, fallbackId: string) => ToolCall | undefined;
  readonly write: (call: ToolCall) => JsonObject;
}

/** Reads text or a list of parts; anything else has no content. */
export function readContent(wire: JsonValue | undefined, codec: PartCodec): Content {
  if (typeof wire === "string") return wire;
  return Array.isArray(wire) ? wire.map((part: JsonValue) => readPart(part, codec)) : "";
}

/** Reads a part with all its fields. A part that the codec does not know, or cannot write back, is carried whole. */
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

/** Writes a content as it came: text as text, parts as a list. */
export function writeContent(
  content: Content,
  codec: PartCodec,
  isOwn: boolean,
): string | readonly JsonValue[] {
  return typeof content === "string" ? content : writeParts(content, codec, isOwn);
}

/** Writes a content as a list of parts. */
export function writeParts(
  content: Content,
  codec: PartCodec,
  isOwn: boolean,
): readonly JsonValue[] {
  return partsOf(content)
    .map((part) => writePart(part, codec, isOwn))
    .filter((part) => part !== undefined);
}

/** Writes a part; one of another format without what only that format understands. */
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
 * Reads a call with all its fields; what the codec does not know is carried as it is. A call without an id or a type gets one, and its
 * `extra` says so.
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

/** Writes a call; one of another format without what only that format understands. */
export function writeCall(call: ToolCall, codec: CallCodec, isOwn: boolean): JsonObject {
  const { extra, ...foreign } = call;
  return mergeJson(codec.write(isOwn ? call : foreign), isOwn ? extra : undefined);
}

/** Returns arguments as the value that their text stands for; what is no JSON as a field of the object that a call must have. */
export function argumentsOf(text: string): JsonValue {
  return parseJson(text) ?? (text === "" ? {} : { arguments: text });
}

/** Returns whether a value is a call, not a part. */
export function isToolCall(value: ToolCall | ContentPart): value is ToolCall {
  return "arguments" in value;
}

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
