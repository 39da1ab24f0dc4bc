import { groupExchanges } from "@agent-history/core";
import type { ReductionPlan } from "@agent-history/core";

import type { Continuation } from "./continue-plan.ts";
import { addDecision, keepDecision } from "./plan-of-draft.ts";
import type { Request } from "./request.ts";
import { sealPlan } from "./seal-plan.ts";
import type { Task } from "./task.ts";

/** Adds what is new to what holds of an earlier plan, where it fits; nothing where room must be made. */
export function* appendToPlan(
  { entries, plan, planned, open, stoppedBy }: Continuation,
  request: Request,
): Task<ReductionPlan | undefined> {
  const decisions = [...plan.decisions];
  let { totalTokens } = plan;
  for (const entry of entries.slice(planned)) {
    const tokens = yield* request.count(entry);
    totalTokens += tokens;
    const isOversized = entry.type === "observation" && tokens > request.maxResultTokens;
    if (isOversized || totalTokens - plan.requestTokens > request.budget) return undefined;
    addDecision(decisions, keepDecision(entry, tokens));
  }
  const groups = open.length === 0 ? [] : groupExchanges(open);
  const running = groups.find((group) => group.kind === "exchange" && group.running);
  const settledUntil =
    running?.kind === "exchange" ? entries.lastIndexOf(running.action) : entries.length;
  const continued = { entryCount: planned, ...(stoppedBy !== undefined && { stoppedBy }) };
  return sealPlan({ ...plan, decisions, settledUntil, totalTokens }, entries, request, continued);
}
