import type { JsonObject, JsonValue } from "./json.ts";

/** What an entry says: plain text, or typed parts in order. */
export type Content = string | readonly ContentPart[];

/** One part of a content; discriminated by `type`. */
export type ContentPart = TextPart | ImagePart | FilePart | ReasoningPart | OpaquePart;

/** What every part may carry. */
export interface PartBase {
  /** Fields that a message format needs to render the part as it came. Carried, never read by the packages. */
  readonly extra?: JsonObject;
}

/** Text. */
export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
}

/** An image; its size decides what it costs. Counters read it from the bytes, where they are there. */
export interface ImagePart extends PartBase {
  readonly type: "image";
  readonly source: MediaSource;
  /** For example `image/png`. */
  readonly mediaType?: string;
  /** In pixels, for an image behind a URL or an id. Without it, what it costs is an estimate. */
  readonly width?: number;
  /** In pixels. */
  readonly height?: number;
  /** How closely the model looks; `original` keeps every pixel. */
  readonly detail?: "low" | "high" | "auto" | "original";
}

/** A file; its pages, or how long it plays, decide what it costs. Counters read these from the bytes, where they are there. */
export interface FilePart extends PartBase {
  readonly type: "file";
  readonly source: MediaSource;
  /** For example `application/pdf`. */
  readonly mediaType?: string;
  readonly name?: string;
  /** Pages of a document behind a URL or an id. Without it, what it costs is an estimate. */
  readonly pages?: number;
  /** How long a recording behind a URL or an id plays, in milliseconds. */
  readonly durationMs?: number;
}

/** Where the bytes of an image or a file are; `text` is that of a file which is plain text. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly base64: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "id"; readonly id: string };

/** What a model thought. Carried byte for byte, or dropped with its exchange; never edited. */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  /** The readable part, empty where the provider hides it. */
  readonly text: string;
  /** What the provider's block holds beside the text, as it came: its signature, or what it hides. */
  readonly data?: JsonValue;
}

/** Provider data that only its own format understands. Carried byte for byte, never edited. */
export interface OpaquePart extends PartBase {
  readonly type: "opaque";
  readonly data: JsonValue;
}

/** Returns the text of a content: all of it, or its text parts, a line break between them. Parts of other types have none. */
export function contentText(content: Content | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
