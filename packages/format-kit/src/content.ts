import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MediaSource,
  ToolCall,
} from "@agent-history/core";
import { withSources } from "@agent-history/core/kit";

import { isJsonObject, mergeJson, objectOf, onlyAdds, parseJson, wireDifference } from "./json.ts";

/** Returns content as parts; empty text has none. */
export function partsOf(content: Content | undefined): readonly ContentPart[] {
  if (content === undefined || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the data of an opaque part; an empty object for other parts, and if the data is no object. */
export function dataOf(part: ContentPart | undefined): JsonObject {
  return objectOf(part?.type === "opaque" ? part.data : undefined);
}

/**
 * Returns the content that a model is shown for an entry: the rendered user message, an attachment after its name, sources a blank
 * line after their result. Counters count the same content.
 */
export function shownContent(entry: HistoryEntry): Content | undefined {
  switch (entry.type) {
    case "user_message":
      return entry.rendered ?? entry.content;
    case "attachment":
      return entry.name === undefined ? entry.content : named(entry.name, entry.content);
    case "observation":
    case "global_observation":
      return withSources(entry.content, entry.sources ?? []);
    default:
      return entry.content;
  }
}

/** Returns two parts: joined, they might have another token count than each alone. */
function named(name: string, content: Content): Content {
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return [{ type: "text", text: name }, ...parts];
}

/**
 * Returns content of another format as portable content: images and files if the format accepts them, otherwise
 * their name and one line of text. Reasoning, opaque data and every `extra` are left out, because only their own format understands them. Unchanged content is returned by identity.
 *
 * @param takes - Whether an image or file, without `extra`, is accepted.
 */
export function portableContent(
  content: Content,
  takes: (media: ImagePart | FilePart) => boolean,
): Content {
  if (typeof content === "string") return content;
  const parts = content.flatMap((part) => portablePart(part, takes));
  if (parts.length === 0) return "";
  const isSame = parts.length === content.length && parts.every((one, at) => one === content[at]);
  return isSame ? content : parts;
}

function portablePart(
  part: ContentPart,
  takes: (media: ImagePart | FilePart) => boolean,
): readonly ContentPart[] {
  switch (part.type) {
    case "text":
      if (part.text === "") return [];
      return [part.extra === undefined ? part : textPart(part.text)];
    case "image":
    case "file": {
      const { extra, ...bare } = part;
      const media = extra === undefined ? part : bare;
      return media.source.kind !== "text" && takes(media) ? [media] : mediaLines(media);
    }
    case "reasoning":
    case "opaque":
      return [];
  }
}

/** Returns the lines that replace an image or a file: its name, and its text, its URL or its kind. */
export function mediaLines(media: ImagePart | FilePart): readonly ContentPart[] {
  const { type, source } = media;
  const isLink = source.kind === "url" && type === "file";
  const said = fileText(media) ?? (isLink ? source.url : `[${type}]`);
  return [(type === "file" && media.name) || "", said].filter((line) => line !== "").map(textPart);
}

/** Returns the text of a text file. */
function fileText({ source, mediaType = "" }: ImagePart | FilePart): string | undefined {
  if (source.kind === "text") return source.text;
  if (source.kind !== "data" || !mediaType.startsWith("text/")) return undefined;
  try {
    const bytes = Uint8Array.from(atob(source.base64), (letter) => letter.codePointAt(0) ?? 0);
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function textPart(said: string): ContentPart {
  return { type: "text", text: said };
}

interface Media {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

/** Returns the payload of a media source: its base64, URL, text or id. */
export function payloadOf({ kind: _, ...payload }: MediaSource): string {
  return Object.values(payload).join("");
}

/** Makes a media source of a kind and its payload. */
export function sourceOf(kind: MediaSource["kind"], payload: string): MediaSource {
  switch (kind) {
    case "url":
      return { kind, url: payload };
    case "data":
      return { kind, base64: payload };
    case "text":
      return { kind, text: payload };
    case "id":
      return { kind, id: payload };
  }
}

const BASE64_DATA_URL = /^data:(?<mediaType>[^;,]+);base64,(?<base64>.*)$/su;

/** Reads a URL; a base64 data URL becomes its bytes and media type. */
export function fromUrl(url: string): Media {
  const { mediaType, base64 } = BASE64_DATA_URL.exec(url)?.groups ?? {};
  return mediaType === undefined || base64 === undefined
    ? { source: { kind: "url", url } }
    : { source: { kind: "data", base64 }, mediaType };
}

/** Writes a source as a URL; `undefined` for text and ids. */
export function toUrl(source: MediaSource, mediaType: string | undefined): string | undefined {
  switch (source.kind) {
    case "url":
      return source.url;
    case "data":
      return `data:${mediaType ?? "application/octet-stream"};base64,${source.base64}`;
    case "text":
    case "id":
      return undefined;
  }
}

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
