import { createHash } from "node:crypto";

import type { UnnumberedSource } from "@agent-history/history-manager";

import { passageLines } from "../search/passage.ts";
import type { Passage } from "../search/passage.ts";
import { sourceUri } from "./source-uri.ts";

/** A longer line is cut; the rest can be opened at the place that the source names. */
const MAX_LINE_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 120;

/** Describes a passage as a source. The thread assigns its number, permanently, by its id. */
export function passageSource(passage: Passage): UnnumberedSource {
  const { document, startLine, endLine, title } = passage;
  const uri = sourceUri({ path: document.path, startLine, endLine });
  const lines = passageLines(passage);
  // A file may change before the thread is read again: other words are another source.
  const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
  return {
    id: `${uri}@${digest}`,
    uri,
    text: numberLines(lines, startLine),
    ...(title === undefined ? {} : { title: cut(title, MAX_TITLE_LENGTH) }),
  };
}

/** Puts its number before each line, so that no line of a document can pass for the head of another source. */
function numberLines(lines: readonly string[], startLine: number): string {
  return lines
    .map((line, index) => `${startLine + index}| ${cut(line, MAX_LINE_LENGTH)}`)
    .join("\n");
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // One character fewer, so that no pair of surrogates is cut in two.
  const head = Array.from(text.slice(0, maxLength)).slice(0, -1).join("");
  return `${head} …[${text.length - head.length} more characters]`;
}
