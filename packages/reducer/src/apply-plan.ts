import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, ReductionRequest } from "@agent-history/core";

import { carryOut } from "./internal/carry-out.ts";
import { isGone } from "./internal/draft.ts";
import { mendAsPlanned } from "./internal/mend-as-planned.ts";
import { isKeptEntry } from "./internal/seal-plan.ts";

/**
 * Carries out a plan: gives what is left of the history that the plan was made for. Calls no model, scorer or counter; costs what is kept.
 * A plan that keeps everything gives the history back by identity.
 *
 * @param options - `contentName`: as the plan was made with.
 * @throws `HistoryError` with code `INVALID_OPTION` where the plan is not about these entries: what it keeps has another content, or what it
 *   dropped other ends.
 */
export function applyPlan(
  given: readonly HistoryEntry[],
  plan: ReductionPlan,
  options: Pick<ReductionRequest, "contentName"> = {},
): readonly HistoryEntry[] {
  const { entries } = mendAsPlanned(given, plan);
  const isKept = isKeptEntry(plan, options);
  let place = 0;
  let kept = 0;
  for (const { from, to, entryCount, action } of plan.decisions) {
    const end = place + entryCount;
    if (entries[place]?.id !== from || entries[end - 1]?.id !== to) throw mismatch(place);
    // Of what is dropped, only the ends are known.
    for (place = isGone(action) ? end : place; place < end; place++) {
      if (!isKept(entries[place], kept)) throw mismatch(place);
      kept += 1;
    }
  }
  if (place !== entries.length) throw mismatch(place);
  return carryOut(entries, plan.decisions);
}

function mismatch(place: number): HistoryError {
  return new HistoryError(
    `The plan is about other entries: at position ${place} the history differs. Plan this history again.`,
    { code: "INVALID_OPTION", details: { option: "plan", position: place } },
  );
}
