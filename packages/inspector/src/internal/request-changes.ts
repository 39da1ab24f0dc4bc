import { priceOf } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";

import type { RequestChange } from "../inspector-data.ts";
import { avoidOf, compareRequests, stoppedReason } from "./compare-requests.ts";
import type { DraftCall } from "./draw-call.ts";

/** Compares each call with the one before of its agent and purpose. */
export function requestChanges(
  drafts: readonly DraftCall[],
  {
    rowOf,
    prices,
  }: {
    /** Finds the row of an entry of either request. */
    readonly rowOf: (entryId: string, drafts: readonly DraftCall[]) => number | undefined;
    readonly prices: PriceTable;
  },
): readonly (RequestChange | undefined)[] {
  const latest = new Map<string, number>();
  return drafts.map((draft, index) => {
    if (draft.isOther) return undefined;
    const { agent, purpose, plan } = draft.call;
    const key = JSON.stringify([agent?.id ?? plan.viewer?.agentId, purpose]);
    const against = latest.get(key);
    latest.set(key, index);
    const before = against === undefined ? undefined : drafts[against];
    if (against === undefined || before === undefined) return undefined;
    return changeOf(draft, before, { against, rowOf, prices });
  });
}

function changeOf(
  draft: DraftCall,
  before: DraftCall,
  context: Parameters<typeof requestChanges>[1] & { readonly against: number },
): RequestChange {
  const { against, rowOf, prices } = context;
  const { call, sent } = draft;
  const { sameTokens, entryId, what } = compareRequests(before.sent, sent);
  const previousTokens = before.sent.totalTokens;
  const changedTokens = Math.min(previousTokens, sent.totalTokens) - sameTokens;
  const sentAgainTokens = entryId === undefined ? 0 : Math.max(0, changedTokens);
  const row = entryId === undefined ? undefined : rowOf(entryId, [before, draft]);
  const price = call.model === undefined ? undefined : priceOf(call.model, prices);
  const provider = call.providerReason;
  const isBroken = entryId !== undefined;
  const reason = isBroken ? stoppedReason(call.plan) : undefined;
  const avoid = isBroken ? avoidOf(call.plan) : undefined;
  return {
    against,
    sameTokens,
    previousTokens,
    ...(row !== undefined && { firstRow: row }),
    what,
    reasons: [
      ...(reason === undefined ? [] : [`plan: ${reason}`]),
      ...(provider === undefined ? [] : [`provider: ${provider}`]),
    ],
    ...(avoid !== undefined && { avoid }),
    sentAgainTokens,
    ...(price && { costUsd: (sentAgainTokens * (price.input - price.cacheRead)) / 1_000_000 }),
  };
}
