import type { Decision, HistoryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import { isGone } from "./draft.ts";

/** Does with entries what decisions about them say. Where all are kept, they are given back by identity. */
export function carryOut(
  entries: readonly HistoryEntry[],
  decisions: readonly Decision[],
): readonly HistoryEntry[] {
  if (decisions.every(({ action }) => action.kind === "keep")) return entries;
  const kept: HistoryEntry[] = [];
  let place = 0;
  for (const { entryCount, action } of decisions) {
    const end = place + entryCount;
    if (action.kind === "summarise") kept.push(action.summary);
    const left = isGone(action) ? [] : entries.slice(place, end);
    for (const entry of left) {
      kept.push(action.kind === "edit" ? editEntry(entry, action.edit) : entry);
    }
    place = end;
  }
  return kept;
}
