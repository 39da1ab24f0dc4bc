import type { Source, ToolAnswer } from "@agent-history/core";

import { sourceOfNumber } from "./citation-numbers.ts";
import { numberEntries, quoteWithin, readSeen, refusal } from "./recall-originals.ts";
import type { Recalling } from "./recall-originals.ts";
import { ENTRY_SOURCE, originalText } from "./recall-quote.ts";
import { characterStart } from "./truncate-to-tokens.ts";

/** Returns one original word for word, from a character on, as much as fits. */
export async function readOriginal(
  recalling: Recalling,
  { id, from }: { readonly id: string; readonly from: number },
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const { store, threadId } = recalling;
  const mark = /^\[?(?:source)?(\d+)\]?$/u.exec(id)?.[1];
  const named = mark && (await sourceOfNumber({ store, threadId, signal }, Number(mark)));
  const entries = await readSeen(recalling, true, signal);
  const isMarked = ({ number }: Source): boolean => number === Number(mark);
  // The entry of this id or mark; else the newest result of a call of this id.
  const entry =
    entries.find((one) => one.id === id) ??
    entries.find((one) => `${ENTRY_SOURCE}${one.id}` === named) ??
    entries.find((one) => "sources" in one && one.sources?.some(isMarked)) ??
    entries.findLast((one) => one.type === "observation" && one.callId === id);
  if (entry === undefined) return refusal("No entry that you may read has this id.");
  const text = originalText(entry, new Set());
  if (text === "") return refusal("This entry has no text.");
  if (from >= text.length) return refusal(`This entry ends at character ${text.length}.`);
  const [number = 0] = await numberEntries(recalling, [entry], signal);
  const excerpt = { entry, number, text, from: characterStart(text, from), to: text.length };
  return quoteWithin(recalling, [excerpt]);
}
