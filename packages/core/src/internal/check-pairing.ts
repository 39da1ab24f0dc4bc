import type { Violation } from "../check-history.ts";
import { groupExchanges } from "../group-exchanges.ts";
import type { Exchange } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";

/** Finds violations of L1: every result directly after its action, every call answered, every id used once. */
export function checkPairing(entries: readonly HistoryEntry[]): readonly Violation[] {
  const found = duplicateIds(entries);
  const places = new Map(entries.map((entry, index) => [entry, index]));
  for (const group of groupExchanges(entries)) {
    if (group.kind === "exchange") found.push(...checkExchange(group, places));
    else if (group.entry.type === "observation") {
      found.push({
        law: "L1",
        rule: "orphan-result",
        entryId: group.entry.id,
        message:
          "This result answers no open call of its agent before it: providers refuse it. Keep it with its action, or drop both.",
      });
    }
  }
  return found;
}

function checkExchange(
  exchange: Exchange,
  places: ReadonlyMap<HistoryEntry, number>,
): readonly Violation[] {
  const { action, observations, unanswered, running } = exchange;
  const found: Violation[] = [];
  if (action.toolCalls.some(({ id }) => id === "")) {
    found.push({
      law: "L1",
      rule: "missing-call-id",
      entryId: action.id,
      message: "A call of this action has no id. Give it one, and its result the same.",
    });
  }
  if (unanswered.length > 0 && !running) {
    found.push({
      law: "L1",
      rule: "unanswered-call",
      entryId: action.id,
      message: `${unanswered.length} of the ${action.toolCalls.length} calls of this action have no result, and its agent has gone on. Keep the results, or mend the history.`,
    });
  }
  const place = places.get(action) ?? 0;
  const stray = observations.find((entry, offset) => places.get(entry) !== place + 1 + offset);
  if (stray !== undefined) {
    found.push({
      law: "L1",
      rule: "scattered-exchange",
      entryId: stray.id,
      message: `This result does not stand directly after its action ${JSON.stringify(action.id)}. Draw the exchange together.`,
    });
  }
  return found;
}

function duplicateIds(entries: readonly HistoryEntry[]): Violation[] {
  const seen = new Set<string>();
  const found: Violation[] = [];
  for (const { id } of entries) {
    if (seen.has(id)) {
      found.push({
        law: "L1",
        rule: "duplicate-id",
        entryId: id,
        message: "Two entries bear this id. Each entry needs one of its own.",
      });
    }
    seen.add(id);
  }
  return found;
}
