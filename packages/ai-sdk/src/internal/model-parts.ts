import type { ContentPart, FilePart, ImagePart, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, textOf, withoutUndefined } from "@agent-history/format-kit";
import type { PartCodec } from "@agent-history/format-kit";

import { readFileData, writeFileData } from "./file-data.ts";

/** The parts of an AI SDK message that are neither calls, results nor approvals. */
export const modelParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "reasoning":
        return readReasoning(wire);
      case "reasoning-file":
        return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
      case "image":
        return readImage(wire);
      case "file":
        return readFile(wire);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "reasoning": {
        const data = isJsonObject(part.data) ? part.data : {};
        return part.extra?.["as"] === "block"
          ? data
          : { type: "reasoning", text: part.text, ...data };
      }
      case "image":
        return part.extra?.["as"] === "image" ? writeImage(part) : writeFile(part, "image");
      case "file":
        return writeFile(part, "application/octet-stream");
      case "opaque":
        return undefined;
    }
  },
};

/** Reads a thought. One whose seal is longer than its text is `data` as it came: it counts what it holds. */
function readReasoning(wire: JsonObject): ContentPart | undefined {
  const { type: _, text, ...data } = wire;
  if (typeof text !== "string") return undefined;
  if (longestText(data) > text.length) {
    return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
  }
  return { type: "reasoning", text, ...(Object.keys(data).length > 0 && { data }) };
}

function longestText(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((most, one) => Math.max(most, longestText(one)), 0);
}

/** Reads the old image part; since AI SDK 7 an image is a file. */
function readImage(wire: JsonObject): ImagePart | undefined {
  const file = readFileData(wire["image"]);
  const mediaType = textOf(wire["mediaType"]);
  if (file?.extra?.["bare"] !== true) return undefined;
  return {
    type: "image",
    source: file.source,
    ...(mediaType !== undefined && { mediaType }),
    extra: { ...file.extra, as: "image" },
  };
}

function writeImage({ source, mediaType, extra }: ImagePart): JsonObject {
  return withoutUndefined({ type: "image", image: writeFileData(source, extra), mediaType });
}

function readFile(wire: JsonObject): ImagePart | FilePart | undefined {
  const file = readFileData(wire["data"]);
  const mediaType = textOf(wire["mediaType"]);
  const name = textOf(wire["filename"]);
  if (file === undefined || mediaType === undefined) return undefined;
  return /^image(?:\/|$)/u.test(mediaType)
    ? { type: "image", ...file, mediaType }
    : { type: "file", ...file, mediaType, ...(name !== undefined && { name }) };
}

function writeFile(part: ImagePart | FilePart, usualType: string): JsonObject {
  const filename = part.type === "file" ? part.name : undefined;
  const mediaType = part.mediaType ?? usualType;
  return withoutUndefined({
    type: "file",
    data: writeFileData(part.source, part.extra),
    mediaType,
    filename,
  });
}
