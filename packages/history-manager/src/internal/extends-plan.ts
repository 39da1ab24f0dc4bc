import type { Decision, ReductionPlan } from "@agent-history/core";

/** Tells whether a plan does with the entries of an earlier one what that one did, and only goes on from there: nothing that was sent has changed. */
export function extendsPlan(earlier: ReductionPlan, next: ReductionPlan): boolean {
  const later = actions(next.decisions);
  for (const action of actions(earlier.decisions)) {
    if (later.next().value !== action) return false;
  }
  return true;
}

/** What is done with each entry, one after the other. */
function* actions(decisions: readonly Decision[]): Generator<string, undefined> {
  for (const { action, entryCount } of decisions) {
    const text = JSON.stringify(action);
    for (let count = 0; count < entryCount; count++) yield text;
  }
  return undefined;
}
