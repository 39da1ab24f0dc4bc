import type { Content, ContentPart, JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";
import { mergeJson } from "./merge-json.ts";
import { onlyAdds } from "./only-adds.ts";
import { wireDifference } from "./wire-difference.ts";

/** How a format writes the parts of a content. Neither direction cares for fields that no part has. */
export interface PartCodec {
  /** Returns the part; `undefined` for a kind that no part has. */
  readonly read: (wire: JsonObject) => ContentPart | undefined;
  /** Writes the part; `undefined` where the format has no word for it. */
  readonly write: (part: ContentPart) => JsonObject | undefined;
}

/** Reads text or a list of parts; anything else has no content. */
export function readContent(wire: JsonValue | undefined, codec: PartCodec): Content {
  if (typeof wire === "string") return wire;
  return Array.isArray(wire) ? wire.map((part: JsonValue) => readPart(part, codec)) : "";
}

/** Reads a part with all it carries. What the codec does not know, or cannot write back, is carried as it is. */
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

/** Returns a content as parts; the empty text has none. */
export function partsOf(content: Content | undefined): readonly ContentPart[] {
  if (content === undefined || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
