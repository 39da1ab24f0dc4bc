import type { ContentPart, FilePart, ImagePart, JsonObject, JsonValue } from "@agent-history/core";

import { fromUrl, toUrl } from "./internal/data-url.ts";
import { isJsonObject } from "./internal/is-json-object.ts";
import { isAudioType, readAudio, writeAudio } from "./internal/openai-audio.ts";
import type { PartCodec } from "./internal/part-codec.ts";
import { textOf } from "./internal/wire-text.ts";
import { withoutUndefined } from "./internal/without-undefined.ts";

/** The parts of an OpenAI chat message's content. A refusal is text that is written under another name. */
export const openAIChatParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return readText(wire["text"]);
      case "refusal":
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
  },
  write: (part) => {
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
  },
};

function readText(text: JsonValue | undefined, extra?: JsonObject): ContentPart | undefined {
  if (typeof text !== "string") return undefined;
  return { type: "text", text, ...(extra !== undefined && { extra }) };
}

function readImage(image: JsonValue | undefined): ImagePart | undefined {
  if (!isJsonObject(image) || typeof image["url"] !== "string") return undefined;
  const detail = readDetail(image["detail"]);
  return { type: "image", ...fromUrl(image["url"]), ...(detail !== undefined && { detail }) };
}

function readDetail(detail: JsonValue | undefined): ImagePart["detail"] {
  const known = ["low", "high", "auto", "original"] as const;
  return known.find((one) => one === detail);
}

function writeImage({ source, mediaType, detail }: ImagePart): JsonObject {
  if (source.kind === "id") return { type: "file", file: { file_id: source.id } };
  if (source.kind === "text") return { type: "text", text: source.text };
  return {
    type: "image_url",
    image_url: withoutUndefined({ url: toUrl(source, mediaType), detail }),
  };
}

function readFile(file: JsonValue | undefined): FilePart | undefined {
  if (!isJsonObject(file)) return undefined;
  const name = textOf(file["filename"]);
  const id = textOf(file["file_id"]);
  const data = textOf(file["file_data"]);
  const named = name === undefined ? {} : { name };
  if (id !== undefined) return { type: "file", source: { kind: "id", id }, ...named };
  if (data === undefined) return undefined;
  const { source, mediaType } = fromUrl(data);
  if (mediaType === undefined) {
    return { type: "file", source: { kind: "data", base64: data }, ...named };
  }
  // An audio file may also come as a plain file.
  const isAudio = isAudioType(mediaType);
  return { type: "file", source, mediaType, ...named, ...(isAudio && { extra: { as: "file" } }) };
}

function writeFile({ source, mediaType, name }: FilePart): JsonObject {
  switch (source.kind) {
    case "id":
      return { type: "file", file: withoutUndefined({ file_id: source.id, filename: name }) };
    case "data": {
      const data = mediaType === undefined ? source.base64 : toUrl(source, mediaType);
      return { type: "file", file: withoutUndefined({ file_data: data, filename: name }) };
    }
    case "url":
      return { type: "text", text: source.url };
    case "text":
      return { type: "text", text: source.text };
  }
}
