import type { AddViolation } from "../check-history.ts";
import { groupExchanges } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { outermostActions, pairCalls } from "../pair-calls.ts";
import { sameJson } from "../same-json.ts";

/** Finds violations of L2 and L3: order, system messages, the question and the running exchange. */
export function checkAgainstBefore(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
  add: AddViolation,
): void {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  // An exchange may be drawn together, so all of it counts as standing at its first action's place.
  const first = outermostActions(pairCalls(before));
  const places = new Map(before.map(({ id }, index) => [id, first.get(index) ?? index]));
  let last = -1;
  for (const { id } of entries) {
    const place = places.get(id) ?? last;
    if (place < last) add("L2", "order-changed", id, "This came earlier before.");
    last = Math.max(last, place);
  }
  const question =
    before.findLast(({ type }) => type === "user_message") ??
    before.findLast(({ type }) => type === "task");
  for (const entry of before) {
    const { type, id } = entry;
    const kept = byId.get(id);
    // A provider's own compaction item survives as system messages do.
    const isFixed = type === "system_message" || (type === "summary" && entry.view === undefined);
    if ((!isFixed && entry !== question) || sameJson(kept, entry)) continue;
    const isLost = kept === undefined;
    const message = `This was ${isLost ? "dropped" : "changed"}.`;
    if (entry === question) add("L3", isLost ? "question-lost" : "question-changed", id, message);
    else add("L2", isLost ? "system-message-lost" : "system-message-changed", id, message);
  }
  for (const group of groupExchanges(before)) {
    if (group.kind === "single") continue;
    const { id: actionId } = group.action;
    const lost = group.rounds.filter(({ action }) => !byId.has(action.id));
    if (lost.length > 0 && lost.length < group.rounds.length) {
      add(
        "L1",
        "split-exchange",
        actionId,
        "A call was kept without the call that made it, or that it made.",
      );
    }
    if (!group.running) continue;
    const isWhole = group.entries.every((entry) => {
      const kept = byId.get(entry.id);
      if (entry.type !== "action") return kept !== undefined;
      return kept?.type === "action" && sameJson(kept.toolCalls, entry.toolCalls);
    });
    if (!isWhole) add("L3", "running-exchange-lost", actionId, "The running exchange was cut.");
  }
}
