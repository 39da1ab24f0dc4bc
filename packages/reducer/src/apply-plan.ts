import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import { editEntry } from "./edit-entry.ts";
import { isGone } from "./internal/draft.ts";
import { mendAsPlanned } from "./internal/mend-as-planned.ts";

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
  const { entries } = mendAsPlanned(given, plan);
  const kept: HistoryEntry[] = [];
  let place = 0;
  for (const { from, to, entryCount, action } of plan.decisions) {
    const end = place + entryCount;
    if (entries[place]?.id !== from || entries[end - 1]?.id !== to) throw mismatch(place);
    if (action.kind === "summarise") kept.push(action.summary);
    const left = isGone(action) ? [] : entries.slice(place, end);
    for (const entry of left)
      kept.push(action.kind === "edit" ? editEntry(entry, action.edit) : entry);
    place = end;
  }
  if (place !== entries.length) throw mismatch(place);
  return plan.decisions.every(({ action }) => action.kind === "keep") ? entries : kept;
}

function mismatch(place: number): HistoryError {
  return new HistoryError(
    `The plan is about other entries: at position ${place} the history differs. Plan this history anew.`,
    { code: "INVALID_OPTION", details: { option: "plan", position: place } },
  );
}
