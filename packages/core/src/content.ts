import type { JsonObject, JsonValue } from "./json.ts";

/** What an entry says: plain text, or typed parts in order. */
export type Content = string | readonly ContentPart[];

/** One part of a content; discriminated by `type`. */
export type ContentPart = TextPart | ImagePart | FilePart | ReasoningPart | OpaquePart;

/** Fields common to all parts. */
export interface PartBase {
  /** Fields that a message format needs to render the part unchanged. The packages carry them and never read them. */
  readonly extra?: JsonObject;
}

/** Text. */
export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
}

/** An image. Its size determines its tokens; counters read it from the bytes if they are present. */
export interface ImagePart extends PartBase {
  readonly type: "image";
  readonly source: MediaSource;
  /** For example `image/png`. */
  readonly mediaType?: string;
  /** In pixels, for an image behind a URL or an id. Without it the tokens are an estimate. */
  readonly width?: number;
  /** In pixels. */
  readonly height?: number;
  /** How closely the model looks; `original` keeps every pixel. */
  readonly detail?: "low" | "high" | "auto" | "original";
}

/** A file. Its pages or duration determine its tokens; counters read them from the bytes if they are present. */
export interface FilePart extends PartBase {
  readonly type: "file";
  readonly source: MediaSource;
  /** For example `application/pdf`. */
  readonly mediaType?: string;
  readonly name?: string;
  /** Pages of a document behind a URL or an id. Without it the tokens are an estimate. */
  readonly pages?: number;
  /** Duration of a recording behind a URL or an id, in milliseconds. */
  readonly durationMs?: number;
}

/** Where an image or file is; `text` holds a plain text file. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly base64: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "id"; readonly id: string };

/** Reasoning (thinking). Carried byte for byte or left out; never edited. */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  /** The readable part, empty where the provider hides it. */
  readonly text: string;
  /** The rest of the provider's block, unchanged: its signature or encrypted content. */
  readonly data?: JsonValue;
}

/** Provider data that only its own format can read. Carried byte for byte, never edited. */
export interface OpaquePart extends PartBase {
  readonly type: "opaque";
  readonly data: JsonValue;
}

/** Returns the text of a content: all of it, or its text parts, a line break between them. Parts of other types have none. */
export function contentText(content: Content | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
