import { groupExchanges, messageRole } from "@agent-history/core";

import type { Continuation } from "./continue-plan.ts";
import { addDecision, keepDecision } from "./finish-working-plan.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import type { UnsealedPlan } from "./seal-plan.ts";
import { isGone } from "./working-plan.ts";

/** Adds what is new to what holds of an earlier plan, where it fits; nothing where room must be made, or something has lost its place. */
export function* appendToPlan(
  { entries, plan, planned, open, stoppedBy }: Continuation,
  context: FitContext,
): MaybeAsync<UnsealedPlan | undefined> {
  // What stands behind a gap that has moved may have lost what it followed.
  const last = plan.decisions.at(-1);
  const hasMoved = stoppedBy !== undefined && last !== undefined && isGone(last.action);
  if (hasMoved || beginsLate({ entries, plan, planned }, context)) return undefined;
  const decisions = [...plan.decisions];
  let { totalTokens } = plan;
  for (const entry of entries.slice(planned)) {
    const tokens = yield* context.count(entry);
    totalTokens += tokens;
    const isOversized = entry.type === "observation" && tokens > context.maxResultTokens;
    if (isOversized || totalTokens - plan.requestTokens > context.budget) return undefined;
    addDecision(decisions, keepDecision(entry, tokens));
  }
  const groups = open.length === 0 ? [] : groupExchanges(open);
  const running = groups.find((group) => group.kind === "exchange" && group.running);
  const settledUntil =
    running?.kind === "exchange" ? entries.lastIndexOf(running.action) : entries.length;
  return { ...plan, decisions, settledUntil, totalTokens };
}

/** Returns whether the first thing that reads as a user's is new, behind what no longer begins as the history does. */
function beginsLate(
  { entries, plan: { decisions }, planned }: Pick<Continuation, "entries" | "plan" | "planned">,
  { options: { viewer } }: FitContext,
): boolean {
  if (decisions.every(({ action }) => !isGone(action))) return false;
  let index = 0;
  for (const { action, entryCount } of decisions) {
    const end = index + entryCount;
    if (action.kind === "summarize") return false;
    for (index = isGone(action) ? end : index; index < end; index++) {
      const entry = entries[index];
      const role = entry && messageRole(entry, viewer);
      if (role === "system") continue;
      if (role === "user") return false;
      return entries.slice(planned).some((one) => messageRole(one, viewer) === "user");
    }
  }
  return false;
}
