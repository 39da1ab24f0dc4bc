import type { Document } from "../documents/document.ts";

/** A few neighboring lines of a document that are about one thing. */
export interface Passage {
  readonly document: Document;
  /** From 1. */
  readonly startLine: number;
  /** The last line that belongs to it. */
  readonly endLine: number;
  /** The headings it stands under, or the name it defines. */
  readonly title?: string;
  /** A declaration with or without words that explain it, a comment, prose, an example in a fence, or lines that only mention. */
  readonly kind: "explained" | "declared" | "comment" | "prose" | "example" | "mention";
}

/** The lines of a passage. */
export function passageLines({ document, startLine, endLine }: Passage): readonly string[] {
  return document.lines.slice(startLine - 1, endLine);
}
