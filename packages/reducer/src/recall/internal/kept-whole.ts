import type { HistoryEntry } from "@agent-history/core";

import type { Planned } from "../../recall.ts";

/**
 * Returns the entries that a plan keeps as they are.
 *
 * @param other - Another kind of decision of which they are given too, for example `edit`.
 */
export function keptWhole(
  { entries, plan }: Pick<Planned, "entries" | "plan">,
  other?: string,
): Set<HistoryEntry> {
  const kept = new Set<HistoryEntry>();
  let index = 0;
  for (const { action, entryCount } of plan.decisions) {
    const end = index + entryCount;
    if (action.kind === "keep" || action.kind === other)
      for (const entry of entries.slice(index, end)) kept.add(entry);
    index = end;
  }
  return kept;
}
