import {
  anyOf,
  betweenPhases,
  createCompressor,
  extractiveSummarizer,
  windowShareExceeds,
} from "@agent-history/compression";
import type { CompressionStrategy, CompressorOptions } from "@agent-history/compression";
import type { Compressor, HistoryView, SummaryModel } from "@agent-history/core";
import type { RoleWindows } from "@agent-history/history-manager";

import { counter } from "../prompt/count-tokens.ts";
import { answeredTurns, answeredTurnsExceed } from "./answered-turns.ts";
import { conversationSummarizer } from "./conversation-summarizer.ts";
import { summaryId } from "./summary-id.ts";
import { inNewestTurn, workOfTurn } from "./work-of-turn.ts";

/** What {@link viewCompressor} is made of. */
export interface ViewCompressorOptions {
  readonly windows: RoleWindows;
  /** The share of its window from which an agent's work is compressed while it goes on. */
  readonly share: number;
  /** Writes the summaries. Default: the extractive summarizer, which needs no model. */
  readonly model?: SummaryModel;
  readonly now?: () => number;
}

/** A summary of an agent's work has to leave room for what is done next. */
const WORK_TOKENS = 300;

/**
 * Makes the compressor of a thread: the conversation's answered turns become a summary between turns, an agent's work between phases and where
 * it takes too much of the agent's window. Summaries are named by what they stand for, not by chance.
 */
export function viewCompressor(options: ViewCompressorOptions): Compressor {
  const byView = new Map<HistoryView, Compressor>();
  return {
    name: "compression",
    compress: async (entries, request) => {
      const { view } = request;
      const compressor = byView.get(view) ?? compressorOf(view, options);
      byView.set(view, compressor);
      return compressor.compress(entries, request);
    },
  };
}

function compressorOf(view: HistoryView, options: ViewCompressorOptions): Compressor {
  const { windows, share, model, now } = options;
  const shared = { counter, ...(model && { model }), ...(now && { now }) };
  if (view === "conversation") {
    const trigger = answeredTurnsExceed(1);
    const summarizer = conversationSummarizer();
    // Where a model fails, the summary is written without it.
    const writers = { summarizer, ...(model && { fallback: summarizer }) };
    return createCompressor({ ...shared, ...named(answeredTurns), trigger, ...writers });
  }
  const isFull = inNewestTurn(windowShareExceeds(share, windows.worker), counter);
  return createCompressor({
    ...shared,
    ...named(workOfTurn),
    trigger: anyOf(betweenPhases(), isFull),
    ...(model && { fallback: extractiveSummarizer() }),
    maxTokens: WORK_TOKENS,
  });
}

/** Lets a strategy name its summary: by the newest entry that it covers. */
function named(
  strategy: CompressionStrategy,
): Required<Pick<CompressorOptions, "strategy" | "newId">> {
  let newest = "";
  return {
    strategy: async (situation) => {
      const proposal = await strategy(situation);
      const covered = proposal.spans.flatMap(({ covers }) => covers);
      newest = covered.findLast(({ isCoverable }) => isCoverable)?.entries.at(-1)?.id ?? newest;
      return proposal;
    },
    newId: () => summaryId(newest),
  };
}
