import type { ReductionPlan } from "@agent-history/core";
import { validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

const count = z.int().check(z.minimum(0));

const actionCheck = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("keep") }),
  z.object({ kind: z.literal("drop") }),
  z.object({
    kind: z.literal("edit"),
    edit: z.object({}),
  }),
  z.object({
    kind: z.literal("summarize"),
    summary: z.object({ id: z.string() }),
  }),
]);

const recallCheck = z.object({
  id: z.string(),
  before: z.string(),
  quotes: z.array(z.string()),
  indexes: z.exactOptional(z.array(count)),
  tokens: count,
  format: z.string(),
});

const runCheck = z.object({
  from: z.string(),
  to: z.string(),
  entryCount: z.int().check(z.minimum(1)),
  action: actionCheck,
  tokensBefore: count,
  tokensAfter: count,
});

/** What of a plan is read to continue it. */
const planCheck = z.object({
  counterId: z.string(),
  window: z.object({ contextTokens: z.exactOptional(count) }),
  repairs: z.array(z.object({ kind: z.string(), entryId: z.string() })),
  repairedFrom: count,
  decisions: z.array(runCheck),
  head: z.exactOptional(recallCheck),
  recalls: z.exactOptional(z.array(recallCheck)),
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
  const plan = validCopy(planCheck, value);
  if (plan === undefined) return false;
  const { head, recalls = [], decisions, requestTokens } = plan;
  const quoted = recalls.reduce((sum, { tokens }) => sum + tokens, head?.tokens ?? 0);
  const total = decisions.reduce((sum, run) => sum + run.tokensAfter, requestTokens + quoted);
  const entryCount = plan.decisions.reduce((sum, run) => sum + run.entryCount, 0);
  return total === plan.totalTokens && Math.max(plan.settledUntil, plan.repairedFrom) <= entryCount;
}
