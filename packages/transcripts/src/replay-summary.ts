import { promptTokens } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES } from "./prices.ts";
import type { PriceTable } from "./prices.ts";
import type { ReplayedCall, ReplayedSession } from "./replay-session.ts";
import { callsCost } from "./session-summary.ts";

/** A replayed session in figures. */
export interface ReplaySummary {
  readonly calls: number;
  /** What was really sent. */
  readonly sent: SentTokens;
  readonly replayed: SentTokens;
  /** The most entries that a replayed prompt was without. */
  readonly droppedEntries: number;
  readonly needed: number;
  readonly keptBySummaries: number;
  readonly keptByReplay: number;
}

export interface SentTokens {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** In dollars, at list prices. */
  readonly cost: number;
}

/** Sums a replayed session up, beside what was really sent. */
export function replaySummary(
  { calls, needed, keptBySummaries, keptByReplay }: ReplayedSession,
  prices: PriceTable = LIST_PRICES,
): ReplaySummary {
  const replayed = calls.map((one) => ({ ...one.call, usage: usageOfReplay(one) }));
  return {
    calls: calls.length,
    sent: sentTokens(
      calls.map(({ call }) => call),
      prices,
    ),
    replayed: sentTokens(replayed, prices),
    droppedEntries: calls.reduce((most, one) => Math.max(most, one.droppedEntries), 0),
    needed,
    keptBySummaries,
    keptByReplay,
  };
}

function sentTokens(calls: readonly ModelCall[], prices: PriceTable): SentTokens {
  return {
    promptTokens: calls.reduce((sum, { usage }) => sum + promptTokens(usage), 0),
    cachedTokens: calls.reduce((sum, { usage }) => sum + usage.cacheReadTokens, 0),
    cost: callsCost(calls, prices).cost,
  };
}

/** What the cache did not have is written as the real call wrote; where it wrote nothing, it is input. The answer is the same. */
function usageOfReplay({ call, promptTokens: prompt, cachedTokens }: ReplayedCall): CallUsage {
  const { usage } = call;
  const cacheReadTokens = Math.min(prompt, cachedTokens);
  const fresh = prompt - cacheReadTokens;
  const isWritten = usage.cacheWriteTokens > 0;
  return {
    inputTokens: isWritten ? 0 : fresh,
    cacheReadTokens,
    cacheWriteTokens: isWritten ? fresh : 0,
    cacheWrite1hTokens: isWritten && usage.cacheWrite1hTokens > 0 ? fresh : 0,
    outputTokens: usage.outputTokens,
  };
}
