import type { HistoryEntry, Viewer } from "@agent-history/core";
import { writeMessages } from "@agent-history/format-kit";

import { notesFormat } from "./notes-format.ts";

/** Turns entries into notes, in their order. */
export function toNotes(entries: readonly HistoryEntry[], viewer: Viewer = {}): readonly object[] {
  return writeMessages(notesFormat, entries, { viewer });
}
