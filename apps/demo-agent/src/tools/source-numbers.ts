import { createHash } from "node:crypto";

import type { HistoryEntry, Source } from "@agent-history/core";

import { passageLines } from "../search/passage.ts";
import type { Passage } from "../search/passage.ts";
import { sourceUri } from "./source-uri.ts";

/** Gives evidence its numbers, which stand for the same lines as long as the thread lives (L6). */
export interface SourceNumbers {
  /** The passage as a source: with the number it has, or the next free one. */
  readonly cite: (passage: Passage) => Source;
  /** The source that a number stands for. */
  readonly find: (number: number) => Source | undefined;
}

/** A longer line is cut; the rest can be opened at the place that the source names. */
const MAX_LINE_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 120;

/** Begins with the numbers that a thread has given already. */
export function sourceNumbers(entries: readonly HistoryEntry[] = []): SourceNumbers {
  const byId = new Map<string, Source>();
  const byNumber = new Map<number, Source>();
  let next = 0;
  const remember = (source: Source): Source => {
    byId.set(source.id, source);
    byNumber.set(source.number, source);
    next = Math.max(next, source.number + 1);
    return source;
  };
  for (const entry of entries) {
    if (entry.type === "observation") entry.sources?.forEach(remember);
  }
  return {
    cite: (passage) => {
      const source = describe(passage);
      return byId.get(source.id) ?? remember({ number: next, ...source });
    },
    find: (number) => byNumber.get(number),
  };
}

function describe(passage: Passage): Omit<Source, "number"> {
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
