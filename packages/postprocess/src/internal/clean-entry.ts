import type { ContentPart, EntryOf, HistoryEntry } from "@agent-history/core";

import type { CleanedText } from "../cleaned-text.ts";
import type { Cleaning } from "./clean-text.ts";
import { cleanText } from "./clean-text.ts";
import type { Steps } from "./run-maybe-async.ts";

/** An entry with which a model answered. */
export type Answer = EntryOf<"assistant_message" | "action" | "synthesis" | "final">;

/** What cleaning made of one entry. */
export interface CleanedEntry {
  /** The entry itself where nothing was cut, or a copy, or nothing. */
  readonly left: readonly HistoryEntry[];
  readonly texts: readonly CleanedText[];
}

/** Cleans the text of one entry, part by part. */
export function* cleanEntry(entry: Answer, cleaning: Cleaning): Steps<CleanedEntry> {
  const { content = [] } = entry;
  const isText = typeof content === "string";
  const parts: readonly ContentPart[] = isText ? [{ type: "text", text: content }] : content;
  const left: ContentPart[] = [];
  const texts: CleanedText[] = [];

  for (const [partIndex, part] of parts.entries()) {
    if (part.type !== "text" || isJson(part.text)) {
      left.push(part);
      continue;
    }
    const source = isText ? { entry } : { entry, partIndex };
    const cleaned = yield* cleanText(part.text, cleaning, source);
    texts.push(cleaned);
    if (cleaned.text === part.text) left.push(part);
    // A part without text goes: providers refuse it.
    else if (cleaned.text.trim() !== "") left.push({ ...part, text: cleaned.text });
  }
  if (texts.every(({ cuts }) => cuts.length === 0)) return { left: [entry], texts };
  const [part] = left;
  if (part === undefined && entry.type !== "action") return { left: [], texts };
  const isPlain = isText && part?.type === "text";
  return { left: [{ ...entry, content: isPlain ? part.text : left }], texts };
}

/** Returns whether a text as a whole is a JSON object or array: what a program reads, and not prose. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
