import { HistoryError, mendHistory } from "@agent-history/core";
import type { DecisionAction, HistoryEntry, ReductionPlan } from "@agent-history/core";

import { editEntry } from "./edit-entry.ts";

/**
 * Carries out a plan: gives what is left of the history that the plan was made for. Calls no model, scorer or counter; costs what is kept.
 * A plan that keeps everything gives the history back by identity.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where the plan is not about these entries.
 */
export function applyPlan(
  given: readonly HistoryEntry[],
  plan: ReductionPlan,
): readonly HistoryEntry[] {
  const entries = plan.repairs.length === 0 ? given : mendHistory(given).entries;
  const kept: HistoryEntry[] = [];
  let place = 0;
  for (const { from, to, entryCount, action } of plan.decisions) {
    const start = place;
    const next = start + entryCount;
    if (entries[place]?.id !== from || entries[next - 1]?.id !== to) throw mismatch(place);
    for (const entry of outcomeOf(action, () => entries.slice(start, next))) kept.push(entry);
    place = next;
  }
  if (place !== entries.length) throw mismatch(place);
  const isWhole = plan.decisions.every(({ action }) => action.kind === "keep");
  return isWhole ? entries : kept;
}

function outcomeOf(
  action: DecisionAction,
  run: () => readonly HistoryEntry[],
): readonly HistoryEntry[] {
  switch (action.kind) {
    case "keep":
      return run();
    case "edit":
      return run().map((entry) => editEntry(entry, action.edit));
    case "summarise":
      return [action.summary];
    case "drop":
      return [];
  }
}

function mismatch(place: number): HistoryError {
  return new HistoryError(
    `The plan is about other entries: at position ${place} the history differs. Plan this history anew.`,
    { code: "INVALID_OPTION", details: { option: "plan", position: place } },
  );
}
