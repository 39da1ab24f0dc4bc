import type { HistoryEntry } from "../history-entry.ts";

/** Stands for an entry that cannot be read, so that facts keep the indexes of entries. */
export const STAND_IN: HistoryEntry = { type: "error", id: "", createdAtMs: 0, content: "" };
