import type { Document } from "./document.ts";

const MAX_LINES = 30;
const MAX_LINE_LENGTH = 300;
/** What a document says of itself before it begins. */
const FIELD = /^(?:title|description|summary):\s+(\S.*)$/;
const HEADING = /^#\s+(\S.*)$/;

/** Returns what a document is about as its beginning tells: title and description of its front matter, its first heading. */
export function documentHeading({ lines }: Document): string {
  return lines
    .slice(0, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_LENGTH))
    .flatMap((line) => FIELD.exec(line)?.[1] ?? HEADING.exec(line)?.[1] ?? [])
    .join("\n");
}
