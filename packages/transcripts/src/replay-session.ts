import type { HistoryEntry, Reduction, ReductionPlan, TokenCounter } from "@agent-history/core";

import { breakCauses } from "./cache-report.ts";
import { baseName } from "./called-files.ts";
import { collectTranscript } from "./collect-transcript.ts";
import { entryText } from "./entry-text.ts";
import { lostMeter } from "./lost-report.ts";
import type { NeededPath } from "./lost-report.ts";
import { sessionMeter } from "./measured-session.ts";
import { promptTokens } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES } from "./prices.ts";
import type { PriceTable } from "./prices.ts";
import { callsCost } from "./session-summary.ts";
import type { TranscriptItem } from "./transcript-item.ts";

/** Options of {@link replaySession}. */
export interface ReplayOptions {
  /** The context window in tokens, including system prompt and tools. */
  readonly contextTokens: number;
  readonly counter: Pick<TokenCounter, "countEntry">;
  /** Fits the history before a call. Tokens that are not in the log are already subtracted from the window. */
  readonly fit: (
    entries: readonly HistoryEntry[],
    request: {
      readonly window: { readonly contextTokens: number };
      readonly previousPlan?: ReductionPlan;
    },
  ) => Reduction | Promise<Reduction>;
  /** Counts the tokens of the prefix that a prompt shares with the previous prompt. */
  readonly prefixTokens: (before: readonly HistoryEntry[], now: readonly HistoryEntry[]) => number;
  readonly signal?: AbortSignal | undefined;
}

/** One replayed call, beside the original. */
export interface ReplayedCall {
  readonly call: ModelCall;
  /** Tokens of the prompt, including system prompt and tools. */
  readonly promptTokens: number;
  /** The part of them that the provider's cache would have had. */
  readonly cachedTokens: number;
  /** Number of history entries that the prompt contains neither whole nor shortened. */
  readonly droppedEntries: number;
}

export interface ReplayedSession {
  readonly calls: readonly ReplayedCall[];
  /** Tokens of the first call beyond its entries: system prompt and tools. Part of every prompt. */
  readonly overheadTokens: number;
  /** Number of paths that were needed after compactions and known before, and how many of them the summaries and the replayed prompts name. */
  readonly needed: number;
  readonly keptBySummaries: number;
  readonly keptByReplay: number;
}

/**
 * Replays the calls of a session's final branch with another fit. The tool's own summaries are left out: the fit sees all entries that they replaced. If the
 * log shows that the cache had expired, the replayed prompt is not read from the cache either.
 *
 * @throws Errors of `fit`.
 */
export async function replaySession(
  items: readonly TranscriptItem[],
  options: ReplayOptions,
): Promise<ReplayedSession> {
  const { counter, fit, prefixTokens, signal } = options;
  const expired = expiredCalls(items, counter);
  const lost = lostPaths(items);
  const { main, mainCalls } = collectTranscript(items);
  const [mainItems, ownCalls] = [new Set<TranscriptItem>(main), new Set(mainCalls)];
  const log: HistoryEntry[] = [];
  const calls: ReplayedCall[] = [];
  let overheadTokens = 0;
  let before: Reduction | undefined;
  let [needed, keptBySummaries, keptByReplay] = [0, 0, 0];
  for (const item of items) {
    signal?.throwIfAborted();
    if (item.kind === "entry" && mainItems.has(item) && item.entry.type !== "summary")
      log.push(item.entry);
    if (item.kind !== "call" || !ownCalls.has(item.call) || log.length === 0) continue;
    const { call } = item;
    if (before === undefined) {
      const counted = log.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
      overheadTokens = Math.max(0, promptTokens(call.usage) - counted);
    }
    const now = await fit([...log], {
      window: { contextTokens: options.contextTokens - overheadTokens },
      ...(before && { previousPlan: before.plan }),
    });
    const cached = before === undefined || expired.has(call.id) ? undefined : before.entries;
    calls.push({
      call,
      promptTokens: now.plan.totalTokens + overheadTokens,
      cachedTokens: cached === undefined ? 0 : prefixTokens(cached, now.entries) + overheadTokens,
      droppedEntries: Math.max(0, log.length - now.entries.length),
    });
    for (const paths of lost.splice(0, lost.findLastIndex(({ line }) => line < call.line) + 1)) {
      const text = now.entries.map(entryText).join("\n");
      needed += paths.paths.length;
      keptBySummaries += paths.paths.filter(({ isNameKept }) => isNameKept).length;
      keptByReplay += paths.paths.filter((path) => text.includes(baseName(path.text))).length;
    }
    before = now;
  }
  return { calls, overheadTokens, needed, keptBySummaries, keptByReplay };
}

interface LostPaths {
  readonly line: number;
  readonly paths: readonly NeededPath[];
}

function lostPaths(items: readonly TranscriptItem[]): LostPaths[] {
  const meter = lostMeter();
  for (const item of items) meter.add(item);
  return meter.result().map(({ compaction, paths }) => ({ line: compaction.line, paths }));
}

/** Returns the calls before which the cache had expired. */
function expiredCalls(
  items: readonly TranscriptItem[],
  counter: Pick<TokenCounter, "countEntry">,
): ReadonlySet<string> {
  const meter = sessionMeter(counter);
  for (const item of items) meter.add(item);
  const causes = [...breakCauses(meter.result())];
  return new Set(causes.flatMap(([id, { cause }]) => (cause === "idle" ? [id] : [])));
}

/** Totals of replayed sessions. */
export interface ReplaySummary {
  readonly calls: number;
  /** What was actually sent. */
  readonly sent: SentTokens;
  readonly replayed: SentTokens;
  /** The maximum number of entries missing from a replayed prompt. */
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

/** Sums up replayed sessions, beside what was actually sent. */
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

/** Computes the usage of a replayed call: uncached tokens are written to the cache as in the original call, or are input if it wrote nothing. The output is the same. */
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
