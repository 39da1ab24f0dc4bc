import type { Content, ContentPart, JsonObject, JsonValue } from "@agent-history/core";

import { readAudio, readFile, readImage, writeAudio, writeFile, writeImage } from "./chat-media.ts";
import { isJsonObject } from "./is-json-object.ts";
import { patchWire } from "./patch-wire.ts";
import { wireDifference } from "./wire-difference.ts";

/** Reads text or a list of parts; anything else has no content. */
export function readContent(wire: JsonValue | undefined): Content {
  if (typeof wire === "string") return wire;
  return Array.isArray(wire) ? wire.map((part: JsonValue) => readPart(part)) : "";
}

/** Writes a content that came in a chat message as it came: text as text, parts as a list. */
export function writeOwnContent(content: Content): string | readonly JsonValue[] {
  if (typeof content === "string") return content;
  return content.flatMap((part) => {
    if (part.type === "opaque") return [part.data];
    const usual = writePart(part);
    return usual === undefined ? [] : [patchWire(usual, part.extra)];
  });
}

/** Gives a content as parts; the empty text has none. */
export function partsOf(content: Content | undefined): readonly ContentPart[] {
  if (content === undefined || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Reads a part with all it bears. A kind that is not known is carried as it is. */
function readPart(wire: JsonValue): ContentPart {
  const opaque: ContentPart = { type: "opaque", data: wire };
  const part = isJsonObject(wire) ? readKnownPart(wire) : undefined;
  const usual = part === undefined ? undefined : writePart(part);
  if (!isJsonObject(wire) || part === undefined || usual === undefined) return opaque;
  const difference = wireDifference(usual, wire);
  return difference === undefined ? part : { ...part, extra: { ...part.extra, ...difference } };
}

function readKnownPart(wire: JsonObject): ContentPart | undefined {
  switch (wire["type"]) {
    case "text":
      return readText(wire["text"]);
    case "refusal":
      // A refusal is text that is written under another name.
      return readText(wire["refusal"], { as: "refusal" });
    case "image_url":
      return readImage(wire["image_url"]);
    case "input_audio":
      return readAudio(wire["input_audio"]);
    case "file":
      return readFile(wire["file"]);
    default:
      return undefined;
  }
}

function readText(text: JsonValue | undefined, extra?: JsonObject): ContentPart | undefined {
  if (typeof text !== "string") return undefined;
  return { type: "text", text, ...(extra !== undefined && { extra }) };
}

function writePart(part: ContentPart): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return part.extra?.["as"] === "refusal"
        ? { type: "refusal", refusal: part.text }
        : { type: "text", text: part.text };
    case "image":
      return writeImage(part);
    case "file":
      return writeAudio(part) ?? writeFile(part);
    case "reasoning":
    case "opaque":
      return undefined;
  }
}
