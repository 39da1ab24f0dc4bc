import type { ContentPart, FilePart, ImagePart, JsonObject, JsonValue } from "@agent-history/core";
import { fromUrl, textOf, toUrl, withoutUndefined } from "@agent-history/format-kit";
import type { PartCodec } from "@agent-history/format-kit";

import { isAudioType, readAudio, writeAudio } from "./chat-media.ts";

/** The parts of what goes into a Responses request: messages and results. */
export const responseInputParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "input_text":
        return typeof wire["text"] === "string" ? { type: "text", text: wire["text"] } : undefined;
      case "input_image":
        return readImage(wire);
      case "computer_screenshot":
        return readScreenshot(wire);
      case "input_audio":
        return readAudio(wire["input_audio"]);
      case "input_file":
        return readFile(wire);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "input_text", text: part.text };
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

/** The parts of an assistant's message item. A refusal is text that is written under another name. */
export const responseOutputParts: PartCodec = {
  read: (wire) => {
    const { type, text, refusal } = wire;
    if (type === "output_text" && typeof text === "string") return { type: "text", text };
    if (type === "refusal" && typeof refusal === "string") {
      return { type: "text", text: refusal, extra: { as: type } };
    }
    const part = responseInputParts.read(wire);
    return part?.type === "text" ? { ...part, extra: { as: "input_text" } } : part;
  },
  write: (part) => {
    if (part.type !== "text") return responseInputParts.write(part);
    const as = part.extra?.["as"];
    if (as === "refusal") return { type: "refusal", refusal: part.text };
    return { type: as === "input_text" ? as : "output_text", text: part.text };
  },
};

function readImage(wire: JsonObject): ImagePart | undefined {
  const known = ["low", "high", "auto", "original"] as const;
  const detail = known.find((one) => one === wire["detail"]);
  const media = readSource(wire["image_url"], wire["file_id"]);
  return media && { type: "image", ...media, ...(detail !== undefined && { detail }) };
}

function readScreenshot(wire: JsonObject): ImagePart | undefined {
  const media = readSource(wire["image_url"], wire["file_id"]);
  return media && { type: "image", ...media, extra: { as: "computer_screenshot" } };
}

function readSource(
  url: JsonValue | undefined,
  id: JsonValue | undefined,
): Pick<ImagePart, "source" | "mediaType"> | undefined {
  if (typeof url === "string") return fromUrl(url);
  return typeof id === "string" ? { source: { kind: "id", id } } : undefined;
}

function writeImage({ source, mediaType, detail, extra }: ImagePart): JsonObject {
  if (source.kind === "text") return { type: "input_text", text: source.text };
  const type = textOf(extra?.["as"]) ?? "input_image";
  const id = source.kind === "id" ? source.id : undefined;
  return withoutUndefined({ type, file_id: id, image_url: toUrl(source, mediaType), detail });
}

function readFile(wire: JsonObject): ContentPart | undefined {
  const { file_id: id, file_url: url, file_data: data } = wire;
  const name = textOf(wire["filename"]);
  const named = name === undefined ? {} : { name };
  if (typeof id === "string") return { type: "file", source: { kind: "id", id }, ...named };
  if (typeof url === "string") return { type: "file", source: { kind: "url", url }, ...named };
  if (typeof data !== "string") return undefined;
  const { source, mediaType } = fromUrl(data);
  if (mediaType === undefined) {
    return { type: "file", source: { kind: "data", base64: data }, ...named };
  }
  // A sound may also come as a plain file.
  const extra = isAudioType(mediaType) ? { extra: { as: "file" } } : {};
  return { type: "file", source, mediaType, ...named, ...extra };
}

function writeFile({ source, mediaType, name }: FilePart): JsonObject {
  const usual = { type: "input_file", filename: name };
  switch (source.kind) {
    case "id":
      return withoutUndefined({ ...usual, file_id: source.id });
    case "url":
      return withoutUndefined({ ...usual, file_url: source.url });
    case "data": {
      const data = mediaType === undefined ? source.base64 : toUrl(source, mediaType);
      return withoutUndefined({ ...usual, file_data: data });
    }
    case "text":
      return { type: "input_text", text: source.text };
  }
}
