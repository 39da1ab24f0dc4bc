import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { ContentPart, EntryOf, HistoryEntry } from "@agent-history/core";

import type { RemoveFromText } from "../model-call.ts";

type Answer = EntryOf<"assistant_message" | "action" | "synthesis" | "final">;

/** What a function made of entries, as long as both are there, so that an answer is cleaned once. */
const remembered = new WeakMap<RemoveFromText, WeakMap<HistoryEntry, HistoryEntry | "emptied">>();

/**
 * Takes out of answers what a function leaves out. Never a user's words, calls, results, reasoning, or a text that as a whole is JSON. An
 * answer of which nothing is left goes, unless it carries calls.
 *
 * @throws `HistoryError` with code `CLEANER_FAILED` if the function throws, or adds or changes anything.
 */
export async function cleanAnswers(
  entries: readonly HistoryEntry[],
  remove: RemoveFromText | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly HistoryEntry[]> {
  if (remove === undefined) return entries;
  const memo = remembered.get(remove) ?? new WeakMap<HistoryEntry, HistoryEntry | "emptied">();
  remembered.set(remove, memo);
  const left: HistoryEntry[] = [];
  for (const entry of entries) {
    throwIfAborted(signal);
    const cleaned =
      memo.get(entry) ?? (isAnswer(entry) ? await cleanAnswer(entry, remove, signal) : entry);
    memo.set(entry, cleaned);
    if (cleaned !== "emptied") left.push(cleaned);
  }
  return left.length === entries.length && left.every((entry, index) => entry === entries[index])
    ? entries
    : left;
}

function isAnswer(entry: HistoryEntry): entry is Answer {
  const { type } = entry;
  return (
    type === "assistant_message" || type === "action" || type === "synthesis" || type === "final"
  );
}

async function cleanAnswer(
  entry: Answer,
  remove: RemoveFromText,
  signal: AbortSignal | undefined,
): Promise<HistoryEntry | "emptied"> {
  const { content = [] } = entry;
  if (typeof content === "string") {
    const text = await cleanText(content, remove, signal);
    if (text === content) return entry;
    if (text.trim() !== "") return { ...entry, content: text };
    return entry.type === "action" ? { ...entry, content: [] } : "emptied";
  }
  const parts: ContentPart[] = [];
  for (const part of content) {
    const text = part.type === "text" ? await cleanText(part.text, remove, signal) : undefined;
    if (part.type !== "text" || text === undefined || text === part.text) parts.push(part);
    // Providers refuse a part without text.
    else if (text.trim() !== "") parts.push({ ...part, text });
  }
  if (parts.length === content.length && parts.every((part, index) => part === content[index])) {
    return entry;
  }
  return parts.length > 0 || entry.type === "action" ? { ...entry, content: parts } : "emptied";
}

async function cleanText(
  text: string,
  remove: RemoveFromText,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (isJson(text)) return text;
  const rest = await removeFrom(text, remove, signal);
  if (isLeftOf(rest, text)) return rest;
  throw cleanerFailed("gave a text with something added or changed");
}

async function removeFrom(
  text: string,
  remove: RemoveFromText,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await remove(text, signal);
  } catch (cause) {
    throw cleanerFailed("threw", cause);
  }
}

/** Returns whether a text is another with pieces left out. Linear. */
function isLeftOf(rest: string, text: string): boolean {
  let entryIndex = 0;
  for (let index = 0; index < text.length && entryIndex < rest.length; index++) {
    if (text[index] === rest[entryIndex]) entryIndex += 1;
  }
  return entryIndex === rest.length;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function cleanerFailed(what: string, cause?: unknown): HistoryError {
  return new HistoryError(
    `Expected \`removeFromText\` to return the text with pieces removed; it ${what}. Nothing was changed.`,
    { code: "CLEANER_FAILED", details: { cleaner: "removeFromText" }, cause },
  );
}
