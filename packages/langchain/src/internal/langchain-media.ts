import type { FilePart, ImagePart, JsonObject, MediaSource } from "@agent-history/core";
import { fromUrl, isJsonObject, textOf, toUrl, withoutUndefined } from "@agent-history/format-kit";

const DETAILS = ["low", "high", "auto", "original"] as const;
const FILES = ["file", "audio", "video"];

/** Reads an image or a file: `image_url`, Anthropic's `source`, and LangChain's own blocks, older (`source_type`) and newer ones. */
export function readMedia(wire: JsonObject): ImagePart | FilePart | undefined {
  const { type } = wire;
  if (type === "image_url") return readImageUrl(wire);
  const isImage = type === "image";
  if (!isImage && !FILES.some((one) => one === type)) return undefined;
  const read = readAnthropic(wire["source"]) ?? readBlock(wire, OLDER) ?? readBlock(wire, NEWER);
  if (read === undefined) return undefined;
  const { as, ...media } = read;
  if (isImage) return { type: "image", ...media, extra: { as } };
  const kind = textOf(type) ?? "file";
  return { type: "file", ...media, extra: { as, ...(kind !== "file" && { kind }) } };
}

/** Writes an image or a file; `undefined` where LangChain has no block for it. */
export function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType, extra } = part;
  const type = textOf(extra?.["kind"]) ?? part.type;
  switch (extra?.["as"]) {
    case "anthropic":
      return writeAnthropic(type, source, mediaType);
    case "newer":
      return writeBlock({ type }, part, NEWER);
    case "older":
      return writeBlock({ type }, part, OLDER);
    default:
      return part.type === "image" ? writeImageUrl(part) : writeBlock({ type }, part, OLDER);
  }
}

function readImageUrl({ image_url: image }: JsonObject): ImagePart | undefined {
  const isBare = typeof image === "string";
  const bare = isBare ? image : undefined;
  const url = isJsonObject(image) ? textOf(image["url"]) : bare;
  if (url === undefined) return undefined;
  const detail = isJsonObject(image) ? DETAILS.find((one) => one === image["detail"]) : undefined;
  const said = { ...fromUrl(url), ...(detail !== undefined && { detail }) };
  return { type: "image", ...said, ...(isBare && { extra: { bare: true } }) };
}

function writeImageUrl({ source, mediaType, detail, extra }: ImagePart): JsonObject | undefined {
  const url = toUrl(source, mediaType ?? "image/png");
  if (url === undefined) return undefined;
  const image = extra?.["bare"] === true ? url : withoutUndefined({ url, detail });
  return { type: "image_url", image_url: image };
}

interface ReadMedia {
  readonly source: MediaSource;
  readonly mediaType?: string;
  readonly as: string;
}

function readAnthropic(source: JsonObject[string] | undefined): ReadMedia | undefined {
  if (!isJsonObject(source)) return undefined;
  const url = textOf(source["url"]);
  if (source["type"] === "url" && url !== undefined) {
    return { source: { kind: "url", url }, as: "anthropic" };
  }
  const base64 = textOf(source["data"]);
  const mediaType = textOf(source["media_type"]);
  const isData = source["type"] === "base64" && base64 !== undefined && mediaType !== undefined;
  return isData ? { source: { kind: "data", base64 }, mediaType, as: "anthropic" } : undefined;
}

function writeAnthropic(
  type: string,
  source: MediaSource,
  mediaType: string | undefined,
): JsonObject | undefined {
  if (source.kind === "url") return { type, source: { type: "url", url: source.url } };
  if (source.kind !== "data" || mediaType === undefined) return undefined;
  return { type, source: { type: "base64", media_type: mediaType, data: source.base64 } };
}

/** How a block calls what it holds. */
interface BlockFields {
  readonly as: string;
  readonly hasSourceType: boolean;
  readonly data: string;
  readonly url: string;
  readonly id: string;
  readonly mediaType: string;
}

const OLDER: BlockFields = {
  as: "older",
  hasSourceType: true,
  data: "data",
  url: "url",
  id: "id",
  mediaType: "mime_type",
};

const NEWER: BlockFields = {
  as: "newer",
  hasSourceType: false,
  data: "data",
  url: "url",
  id: "fileId",
  mediaType: "mimeType",
};

function readBlock(wire: JsonObject, fields: BlockFields): ReadMedia | undefined {
  const { source_type: kind } = wire;
  if (fields.hasSourceType !== (typeof kind === "string")) return undefined;
  const has = (key: string, as: string): string | undefined =>
    fields.hasSourceType && kind !== as ? undefined : textOf(wire[key]);
  const source = sourceOf({
    base64: has(fields.data, "base64"),
    url: has(fields.url, "url"),
    id: has(fields.id, "id"),
  });
  const mediaType = textOf(wire[fields.mediaType]);
  if (source === undefined) return undefined;
  return { source, ...(mediaType !== undefined && { mediaType }), as: fields.as };
}

function sourceOf({
  base64,
  url,
  id,
}: {
  readonly [Kind in "base64" | "url" | "id"]: string | undefined;
}): MediaSource | undefined {
  if (base64 !== undefined) return { kind: "data", base64 };
  if (url !== undefined) return { kind: "url", url };
  return id === undefined ? undefined : { kind: "id", id };
}

function writeBlock(
  block: JsonObject,
  { source, mediaType }: ImagePart | FilePart,
  fields: BlockFields,
): JsonObject | undefined {
  if (source.kind === "text") return undefined;
  const [kind, key, said] = saidBy(source, fields);
  return withoutUndefined({
    ...block,
    source_type: fields.hasSourceType ? kind : undefined,
    [key]: said,
    [fields.mediaType]: mediaType,
  });
}

function saidBy(
  source: Exclude<MediaSource, { readonly kind: "text" }>,
  fields: BlockFields,
): readonly [kind: string, key: string, said: string] {
  switch (source.kind) {
    case "data":
      return ["base64", fields.data, source.base64];
    case "url":
      return ["url", fields.url, source.url];
    case "id":
      return ["id", fields.id, source.id];
  }
}
