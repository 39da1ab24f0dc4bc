import type { Violation, ViolationRule } from "../check-history.ts";
import type { Exchange } from "../group-exchanges.ts";
import { groupExchanges } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { pairCalls } from "../pair-calls.ts";
import { sameJson } from "./same-json.ts";

/** Finds violations of L2 and L3: order, system messages, the question and the running exchange. */
export function checkAgainstBefore(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
): readonly Violation[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return [
    ...checkOrder(entries, before),
    ...checkSystemMessages(byId, before),
    ...checkQuestion(byId, before),
    ...checkRunning(byId, before),
  ];
}

function checkOrder(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
): readonly Violation[] {
  const { actionOf } = pairCalls(before);
  // A result may be drawn to its action, so both count as standing at the action's place.
  const places = new Map(before.map(({ id }, index) => [id, actionOf.get(index) ?? index]));
  const found: Violation[] = [];
  let last = -1;
  for (const { id } of entries) {
    const place = places.get(id);
    if (place === undefined) continue;
    if (place < last) {
      found.push(violation("L2", "order-changed", id, "This entry came earlier before."));
    }
    last = Math.max(last, place);
  }
  return found;
}

function checkSystemMessages(
  byId: ReadonlyMap<string, HistoryEntry>,
  before: readonly HistoryEntry[],
): readonly Violation[] {
  return before.flatMap((entry) => {
    if (entry.type !== "system_message") return [];
    const kept = byId.get(entry.id);
    if (kept === undefined) {
      const message = "This system message is gone. System messages are never dropped.";
      return [violation("L2", "system-message-lost", entry.id, message)];
    }
    if (sameJson(kept, entry)) return [];
    const message = "This system message was changed. It must stay as it was.";
    return [violation("L2", "system-message-changed", entry.id, message)];
  });
}

function checkQuestion(
  byId: ReadonlyMap<string, HistoryEntry>,
  before: readonly HistoryEntry[],
): readonly Violation[] {
  const question =
    before.findLast((entry) => entry.type === "user_message") ??
    before.findLast((entry) => entry.type === "task");
  if (question === undefined) return [];
  const kept = byId.get(question.id);
  const what = question.type === "task" ? "task" : "newest user message";
  if (kept === undefined) {
    return [violation("L3", "question-lost", question.id, `The ${what} is gone.`)];
  }
  if (sameJson(kept, question)) return [];
  const message = `The ${what} was changed. It must survive word for word.`;
  return [violation("L3", "question-changed", question.id, message)];
}

function checkRunning(
  byId: ReadonlyMap<string, HistoryEntry>,
  before: readonly HistoryEntry[],
): readonly Violation[] {
  const running = groupExchanges(before).filter(
    (group): group is Exchange => group.kind === "exchange" && group.running,
  );
  return running.flatMap(({ action, observations }) => {
    const kept = byId.get(action.id);
    const whole =
      kept !== undefined && sameJson(kept, action) && observations.every(({ id }) => byId.has(id));
    if (whole) return [];
    const message = "The exchange that is still running was dropped, cut or changed.";
    return [violation("L3", "running-exchange-lost", action.id, message)];
  });
}

function violation(
  law: Violation["law"],
  rule: ViolationRule,
  entryId: string,
  message: string,
): Violation {
  return { law, rule, entryId, message };
}
