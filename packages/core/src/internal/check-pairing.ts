import type { AddViolation } from "../check-history.ts";
import { groupExchanges } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";

/** Finds violations of L1: every result directly after its action, every call answered, every id used once. */
export function checkPairing(entries: readonly HistoryEntry[], add: AddViolation): void {
  const ids = new Set<string>();
  for (const { id } of entries) {
    if (ids.has(id)) add("L1", "duplicate-id", id, "Two entries bear this id.");
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
    const { action, observations, unanswered, running } = group;
    const { id, toolCalls } = action;
    if (toolCalls.some((call) => call.id === "")) {
      add("L1", "missing-call-id", id, "A call has no id.");
    }
    if (unanswered.length > 0 && !running) {
      add("L1", "unanswered-call", id, `${unanswered.length} calls have no result.`);
    }
    const start = (places.get(action) ?? 0) + 1;
    const stray = observations.find((entry, offset) => places.get(entry) !== start + offset);
    if (stray !== undefined) {
      add("L1", "scattered-exchange", stray.id, "This result stands apart from its action.");
    }
  }
}
