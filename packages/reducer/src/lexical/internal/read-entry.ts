import type { HistoryEntry } from "@agent-history/core";

import { entryText } from "./entry-text.ts";
import { headDate } from "./head-date.ts";
import { textTerms } from "./text-terms.ts";
import type { Vocabulary } from "./text-terms.ts";
import { textWords } from "./text-words.ts";

/** What is known of an entry by itself. */
export interface EntryReading {
  /** Its terms, repeated as they stand. */
  readonly terms: readonly string[];
  /** The words of its speaker's name. */
  readonly speaker: readonly string[];
  /** The day that its text is headed by, in epoch milliseconds. */
  readonly headDateMs?: number;
}

/** Reads an entry. Linear in its text. */
export function readEntry(
  entry: HistoryEntry,
  vocabulary: Vocabulary,
  nameOf: (entry: HistoryEntry) => string | undefined,
): EntryReading {
  const text = entryText(entry);
  const headDateMs = isMessage(entry) ? headDate(text) : undefined;
  return {
    terms: textTerms(text, vocabulary),
    speaker: textWords(nameOf(entry) ?? ""),
    ...(headDateMs !== undefined && { headDateMs }),
  };
}

/** What people and models say; a date at the head of a tool's output dates nothing but that output. */
function isMessage({ type }: HistoryEntry): boolean {
  return type === "user_message" || type === "assistant_message";
}
