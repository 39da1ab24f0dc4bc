import type { HistoryEntry } from "@agent-history/core";
import { readMessages } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { notesFormat } from "./notes-format.ts";

/** Turns notes into entries, so that `toNotes` gives the same notes back. */
export function fromNotes(
  notes: readonly object[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  return readMessages(notesFormat, notes, options);
}
