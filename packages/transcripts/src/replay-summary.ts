import { promptTokens } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES } from "./prices.ts";
import type { PriceTable } from "./prices.ts";
import type { ReplayedCall, ReplayedSession } from "./replay-session.ts";
import { callsCost } from "./session-summary.ts";

/** Replayed sessions in figures. */
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

/** Sums replayed sessions up, beside what was really sent. */
export function replaySummary(
  sessions: readonly ReplayedSession[],
  prices: PriceTable = LIST_PRICES,
): ReplaySummary {
  const calls = sessions.flatMap((session) => session.calls);
  const sent = calls.map(({ call }) => call);
  const replayed = calls.map((one) => ({ ...one.call, usage: usageOfReplay(one) }));
  return {
    calls: calls.length,
    sent: sentTokens(sent, prices),
    replayed: sentTokens(replayed, prices),
    droppedEntries: calls.reduce((most, one) => Math.max(most, one.droppedEntries), 0),
    needed: sessions.reduce((sum, { needed }) => sum + needed, 0),
    keptBySummaries: sessions.reduce((sum, one) => sum + one.keptBySummaries, 0),
    keptByReplay: sessions.reduce((sum, one) => sum + one.keptByReplay, 0),
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
