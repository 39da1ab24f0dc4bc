import type { MediaSource } from "@agent-history/core";

interface Media {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

const BASE64_DATA_URL = /^data:(?<mediaType>[^;,]+);base64,(?<base64>.*)$/su;

/** Reads a URL; one that holds its bytes as base64 becomes these bytes and their media type. */
export function fromUrl(url: string): Media {
  const { mediaType, base64 } = BASE64_DATA_URL.exec(url)?.groups ?? {};
  return mediaType === undefined || base64 === undefined
    ? { source: { kind: "url", url } }
    : { source: { kind: "data", base64 }, mediaType };
}

/** Writes a source as a URL; `undefined` for one that has none. */
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
