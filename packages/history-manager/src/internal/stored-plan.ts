import type { ReductionPlan } from "@agent-history/core";
import * as z from "zod";

const count = z.number().int().nonnegative();

const actionSchema = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal(["keep", "drop"]) }),
  z.looseObject({ kind: z.literal("edit"), edit: z.looseObject({}) }),
  z.looseObject({ kind: z.literal("summarize"), summary: z.looseObject({ id: z.string() }) }),
]);

const recallSchema = z.looseObject({
  id: z.string(),
  before: z.string(),
  quotes: z.array(z.string()),
  indexes: z.array(count).exactOptional(),
  tokens: count,
  format: z.string(),
});

/** What of a plan is read to continue it. */
const planSchema = z.looseObject({
  counterId: z.string(),
  window: z.looseObject({ contextTokens: count.exactOptional() }),
  repairs: z.array(z.looseObject({ kind: z.string(), entryId: z.string() })),
  repairedFrom: count,
  decisions: z.array(
    z.looseObject({
      from: z.string(),
      to: z.string(),
      entryCount: z.number().int().positive(),
      action: actionSchema,
      tokensBefore: count,
      tokensAfter: count,
    }),
  ),
  head: recallSchema.exactOptional(),
  recalls: z.array(recallSchema).exactOptional(),
  settledUntil: count,
  requestTokens: count,
  totalTokens: count,
  hashes: z.array(z.string()),
});

/**
 * Returns whether stored JSON is a plan. The manager's plans have no checksum: entries of a store are known by their ids, and what keeps a thread
 * keeps its plans.
 */
export function isStoredPlan(value: unknown): value is ReductionPlan {
  const { data: plan } = planSchema.safeParse(value);
  if (plan === undefined) return false;
  const { head, recalls = [], decisions, requestTokens } = plan;
  const quoted = recalls.reduce((sum, { tokens }) => sum + tokens, head?.tokens ?? 0);
  const total = decisions.reduce((sum, run) => sum + run.tokensAfter, requestTokens + quoted);
  const entryCount = plan.decisions.reduce((sum, run) => sum + run.entryCount, 0);
  return total === plan.totalTokens && Math.max(plan.settledUntil, plan.repairedFrom) <= entryCount;
}
