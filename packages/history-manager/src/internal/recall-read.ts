import type { HistoryEntry, ToolAnswer } from "@agent-history/core";

import { entryOfNumber, numberEntries } from "./recall-numbers.ts";
import { originalText, readSeen, refusal } from "./recall-originals.ts";
import type { Recalling } from "./recall-originals.ts";
import { excerptSource, quoteExcerpt } from "./recall-quote.ts";
import type { Excerpt } from "./recall-quote.ts";
import { characterStart, longestWithin } from "./truncate-to-tokens.ts";

/** Returns one original word for word, from a character on, as much of it as has room, and says how to go on. */
export async function readOriginal(
  recalling: Recalling,
  { id, from = 0 }: { readonly id: string; readonly from?: number | undefined },
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const { store, threadId, maxTokens, counter } = recalling;
  const thread = { store, threadId, signal };
  const number = /^\[?(?:source)?(\d+)\]?$/u.exec(id)?.[1];
  const named = number === undefined ? undefined : await entryOfNumber(thread, Number(number));
  const entry = findEntry(await readSeen(recalling, true, signal), id, named);
  if (entry === undefined) return refusal("No entry that you may read has this id.");
  const text = originalText(entry, new Set());
  if (text === "") return refusal("This entry has no text.");
  if (from >= text.length) return refusal(`This entry ends at character ${text.length}.`);
  const numbers = await numberEntries(thread, [entry.id]);
  const start = characterStart(text, from);
  const excerpt = { entry, number: numbers.get(entry.id) ?? 0, text, from: start };
  const cut = (length: number): Excerpt => ({
    ...excerpt,
    to: characterStart(text, start + length),
  });
  const render = (length: number): string => withNext(cut(length));
  const within = await longestWithin({ size: text.length - start, render, maxTokens, counter });
  if (within === undefined) return { outcome: "success", content: "", sources: [] };
  const sources = [excerptSource(cut(within.size))];
  return { outcome: "success", content: within.text, sources };
}

/** The entry of this id; else the newest result of a call of this id. */
function findEntry(
  entries: readonly HistoryEntry[],
  id: string,
  named: string | undefined,
): HistoryEntry | undefined {
  return (
    entries.find((entry) => entry.id === id) ??
    entries.find((entry) => entry.id === named) ??
    entries.findLast((entry) => entry.type === "observation" && entry.callId === id)
  );
}

function withNext(excerpt: Excerpt): string {
  const quoted = quoteExcerpt(excerpt);
  const { to, text } = excerpt;
  return to < text.length ? `${quoted}\nMore: from ${to}` : quoted;
}
