import type { AddViolation } from "../check-history.ts";
import { groupExchanges } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";

/** Finds violations of L1: every result directly after its action, every call answered, every id used once. */
export function checkPairing(entries: readonly HistoryEntry[], add: AddViolation): void {
  const ids = new Set<string>();
  for (const { id } of entries) {
    if (ids.has(id)) add("L1", "duplicate-id", id, "Two entries have this id.");
    ids.add(id);
  }
  const places = new Map(entries.map((entry, place) => [entry, place]));
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single") {
      const { type, id } = group.entry;
      if (type === "observation")
        add("L1", "orphan-result", id, "No open call before this result.");
      continue;
    }
    for (const {
      action: { id, toolCalls },
      lost,
    } of group.rounds) {
      if (toolCalls.some((call) => call.id === "")) {
        add("L1", "missing-call-id", id, "A call has no id.");
      }
      if (lost.length > 0) {
        add("L1", "unanswered-call", id, `${lost.length} calls have no result.`);
      }
    }
    const start = places.get(group.action) ?? 0;
    const stray = group.entries.find((entry, offset) => places.get(entry) !== start + offset);
    if (stray !== undefined) {
      add("L1", "scattered-exchange", stray.id, "This stands apart from its action.");
    }
  }
}
