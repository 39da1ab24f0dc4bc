import type {
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  MediaSource,
} from "@agent-history/core";
import { isJsonObject, textOf, withoutUndefined } from "@agent-history/format-kit";
import type { PartCodec } from "@agent-history/format-kit";

/** The content blocks of an Anthropic message that are neither calls nor results. */
export const anthropicParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "thinking":
        return readThinking(wire);
      case "redacted_thinking":
        return { type: "reasoning", text: "", data: wire, extra: { as: "block" } };
      case "image":
        return readImage(wire);
      case "document":
        return readDocument(wire);
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
        if (part.extra?.["as"] === "block") return data;
        return { type: "thinking", thinking: part.text, ...data };
      }
      case "image":
        return writeImage(part);
      case "file":
        return writeDocument(part);
      case "opaque":
        return undefined;
    }
  },
};

function readThinking(wire: JsonObject): ContentPart | undefined {
  const { type: _, thinking, ...data } = wire;
  if (typeof thinking !== "string") return undefined;
  return { type: "reasoning", text: thinking, ...(Object.keys(data).length > 0 && { data }) };
}

interface Media {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

function readSource(source: JsonObject): Media | undefined {
  const { type, media_type: mediaType, data, url, file_id: id } = source;
  const typed = typeof mediaType === "string" ? { mediaType } : {};
  if (type === "base64" && typeof data === "string") {
    return { source: { kind: "data", base64: data }, ...typed };
  }
  if (type === "text" && typeof data === "string") {
    return { source: { kind: "text", text: data }, ...typed };
  }
  if (type === "url" && typeof url === "string") return { source: { kind: "url", url } };
  return type === "file" && typeof id === "string" ? { source: { kind: "id", id } } : undefined;
}

function writeSource({ source, mediaType }: Media, usualType: string): JsonObject {
  switch (source.kind) {
    case "data":
      return { type: "base64", media_type: mediaType ?? usualType, data: source.base64 };
    case "text":
      return { type: "text", media_type: mediaType ?? "text/plain", data: source.text };
    case "url":
      return { type: "url", url: source.url };
    case "id":
      return { type: "file", file_id: source.id };
  }
}

function readImage(wire: JsonObject): ImagePart | undefined {
  const media = isJsonObject(wire["source"]) ? readSource(wire["source"]) : undefined;
  return media && { type: "image", ...media };
}

function writeImage(part: ImagePart): JsonObject {
  return { type: "image", source: writeSource(part, "image/png") };
}

function readDocument(wire: JsonObject): FilePart | undefined {
  const media = isJsonObject(wire["source"]) ? readSource(wire["source"]) : undefined;
  const name = textOf(wire["title"]);
  return media && { type: "file", ...media, ...(name !== undefined && { name }) };
}

function writeDocument(part: FilePart): JsonObject {
  const source = writeSource(part, "application/pdf");
  return withoutUndefined({ type: "document", source, title: part.name });
}
