import { renderSources } from "@agent-history/core";
import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  MediaSource,
  Source,
} from "@agent-history/core";

/** Returns content as parts; empty text has none. */
export function partsOf(content: Content | undefined): readonly ContentPart[] {
  if (content === undefined || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the text of content; parts are joined by newlines. */
export function plainText(content: Content | undefined): string {
  return partsOf(content)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
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

function withSources(content: Content, sources: readonly Source[]): Content {
  const rendered = renderSources(sources);
  if (rendered === "") return content;
  if (content.length === 0) return rendered;
  if (typeof content === "string") return `${content}\n\n${rendered}`;
  return [...content, { type: "text", text: `\n\n${rendered}` }];
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
      return [part.extra === undefined ? part : text(part.text)];
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
  const said = source.kind === "text" ? source.text : isLink ? source.url : `[${type}]`;
  return [(type === "file" && media.name) || "", said].filter((line) => line !== "").map(text);
}

function text(said: string): ContentPart {
  return { type: "text", text: said };
}

interface Media {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

/** Returns the payload of a media source: its base64, URL, text or id. */
export function payloadOf(source: MediaSource): string {
  switch (source.kind) {
    case "url":
      return source.url;
    case "data":
      return source.base64;
    case "text":
      return source.text;
    case "id":
      return source.id;
  }
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
