import type { FilePart, ImagePart, JsonObject, JsonValue } from "@agent-history/core";
import { fromUrl, isJsonObject, textOf, toUrl, withoutUndefined } from "@agent-history/format-kit";

const DETAILS = ["low", "high", "auto", "original"] as const;

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
]);

/** Reads an `image_url`. */
export function readImage(image: JsonValue | undefined): ImagePart | undefined {
  if (!isJsonObject(image) || typeof image["url"] !== "string") return undefined;
  const detail = DETAILS.find((one) => one === image["detail"]);
  return { type: "image", ...fromUrl(image["url"]), ...(detail !== undefined && { detail }) };
}

/** Writes an image; `undefined` where it has no URL. */
export function writeImage({ source, mediaType, detail }: ImagePart): JsonObject | undefined {
  if (source.kind === "id") return { type: "file", file: { file_id: source.id } };
  const url = toUrl(source, mediaType ?? "image/png");
  if (url === undefined) return undefined;
  return { type: "image_url", image_url: withoutUndefined({ url, detail }) };
}

/** Reads an `input_audio` as a file. */
export function readAudio(audio: JsonValue | undefined): FilePart | undefined {
  if (!isJsonObject(audio)) return undefined;
  const base64 = textOf(audio["data"]);
  const mediaType = AUDIO_TYPES.get(textOf(audio["format"]) ?? "");
  if (base64 === undefined || mediaType === undefined) return undefined;
  return { type: "file", source: { kind: "data", base64 }, mediaType };
}

/** Writes an audio part; `undefined` for any other file, and for audio that came as a file. */
export function writeAudio({ source, mediaType, extra }: FilePart): JsonObject | undefined {
  const format = [...AUDIO_TYPES].find(([, type]) => type === mediaType)?.[0];
  if (source.kind !== "data" || format === undefined || extra?.["as"] === "file") return undefined;
  return { type: "input_audio", input_audio: { data: source.base64, format } };
}

/** Reads a `file`. */
export function readFile(file: JsonValue | undefined): FilePart | undefined {
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
  const extra = isAudioType(mediaType) ? { extra: { as: "file" } } : {};
  return { type: "file", source, mediaType, ...named, ...extra };
}

/** Returns whether a file of this type would be written as audio. */
export function isAudioType(mediaType: string): boolean {
  return [...AUDIO_TYPES.values()].includes(mediaType);
}

/** Writes a file; `undefined` where its bytes are not available. */
export function writeFile({ source, mediaType, name }: FilePart): JsonObject | undefined {
  switch (source.kind) {
    case "id":
      return { type: "file", file: withoutUndefined({ file_id: source.id, filename: name }) };
    case "data": {
      const data = mediaType === undefined ? source.base64 : toUrl(source, mediaType);
      return { type: "file", file: withoutUndefined({ file_data: data, filename: name }) };
    }
    case "url":
    case "text":
      return undefined;
  }
}
