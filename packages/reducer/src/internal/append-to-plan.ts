import { groupExchanges, messageRole } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { Continuation } from "./continue-plan.ts";
import { addDecision, keepDecision } from "./finish-working-plan.ts";
import type { OwnDecision } from "./finish-working-plan.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import type { UnsealedPlan } from "./seal-plan.ts";
import { isGone } from "./working-plan.ts";

/** Adds what is new to what holds of an earlier plan, where it fits; nothing where room must be made, or something has lost its place. */
export function* appendToPlan(
  { entries, plan, planned, open, stoppedBy, running: plainly }: Continuation,
  context: FitContext,
): MaybeAsync<UnsealedPlan | undefined> {
  // What stands behind a gap that has moved may have lost what it followed.
  const last = plan.decisions.at(-1);
  const hasMoved = stoppedBy !== undefined && last !== undefined && isGone(last.action);
  if (hasMoved || beginsLate({ entries, plan, planned }, context)) return undefined;
  let sum = 0;
  for (let index = planned; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    const tokens = context.countNow(entry) ?? (yield* context.count(entry));
    sum += tokens;
    const isOversized = entry.type === "observation" && tokens > context.maxResultTokens;
    const total = plan.totalTokens + sum - plan.requestTokens;
    if (isOversized || total > context.budget) return undefined;
  }
  const decisions: OwnDecision[] = [...plan.decisions];
  // It may grow.
  if (last !== undefined) decisions[decisions.length - 1] = { ...last };
  const first = entries[planned];
  const newest = entries.at(-1);
  if (first !== undefined && newest !== undefined) {
    const decision = keepDecision(newest, sum);
    decision.from = first.id;
    decision.entryCount = entries.length - planned;
    addDecision(decisions, decision);
  }
  const running = plainly ?? firstRunning(open);
  const settledUntil = running < 0 ? entries.length : entries.length - open.length + running;
  return { ...plan, decisions, settledUntil, totalTokens: plan.totalTokens + sum };
}

function firstRunning(open: readonly HistoryEntry[]): number {
  const running = groupExchanges(open).find((group) => group.kind === "exchange" && group.running);
  return running?.kind === "exchange" ? open.lastIndexOf(running.action) : -1;
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
