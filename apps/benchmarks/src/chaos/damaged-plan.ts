import type { ReductionPlan } from "@agent-history/core";

/** A stored plan of which some bytes are no longer what they were. */
export function damagedPlan(plan: ReductionPlan): ReductionPlan {
  const [first, ...others] = plan.decisions;
  const decisions =
    first === undefined ? [] : [{ ...first, tokensAfter: first.tokensAfter - 100_000 }, ...others];
  return { ...plan, decisions, totalTokens: plan.totalTokens - 100_000 };
}
