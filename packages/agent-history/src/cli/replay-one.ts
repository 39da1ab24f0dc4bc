import { createCompressor } from "@agent-history/compression";
import { isHistoryError } from "@agent-history/core";
import { createReducer, prefixStability, replaceOldTurns } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import { replaySession, sessionMeter, tokenReport } from "@agent-history/transcripts";
import type { ReplayedSession, TranscriptItem } from "@agent-history/transcripts";

/** Replays a session with our fit and recall; one whose newest exchange alone exceeds the window cannot be, and gives `undefined`. */
export async function replayOne(
  items: readonly TranscriptItem[],
  contextTokens: number,
): Promise<ReplayedSession | undefined> {
  const exact = tiktokenCounter({ encoding: "o200k_base" });
  const meter = sessionMeter(exact);
  for (const item of items) meter.add(item);
  const { factor } = tokenReport([meter.result()]);
  const counter = estimatingCounter({ family: "claude-before-4.7", counter: exact, factor });
  const scorer = lexicalScorer();
  const summarize = replaceOldTurns({ compressor: createCompressor({ counter }) });
  const steps = [{ ...summarize, before: "clear-old-results" } as const];
  const reducer = createReducer({ counter, scorer, steps });
  try {
    return await replaySession(items, {
      contextTokens,
      counter,
      fit: (entries, request) => reducer.reduce(entries, request),
      prefixTokens: (before, now) => prefixStability(before, now, counter).tokens,
    });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "INVALID_OPTION"))
      return undefined;
    throw error;
  }
}
