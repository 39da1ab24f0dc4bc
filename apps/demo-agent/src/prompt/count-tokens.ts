import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

/** Counts by the encoding of OpenAI's present models; another model would count a little otherwise. */
export const counter: TokenCounter = gptTokenizerCounter({ encoding: "o200k_base" });

/** Counts the tokens of entries as a prompt shows them. */
export function countTokens(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
}
