import { applyCompactions, HistoryError } from "@agent-history/core";
import type {
  Agent,
  CompressionOutcome,
  Compressor,
  HistoryEntry,
  HistoryView,
  SummaryEntry,
} from "@agent-history/core";
import { viewerOf } from "@agent-history/format-kit";

import { fromMessages, toMessages } from "./messages.ts";
import { keepingMiddleware, signalOf } from "./middleware.ts";
import type { HistoryMiddleware } from "./middleware.ts";

/** Options of {@link summaryMiddleware}. */
export interface SummaryMiddlewareOptions {
  /** Summarizes when its trigger fires: `createCompressor({ counter, trigger, model })` of `@agent-history/compression`. */
  readonly compressor: Compressor;
  /** The agent that the messages belong to. */
  readonly agent?: Agent | undefined;
  /** The view of the summaries. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** Called with each outcome, `not-needed` included. A failure changes nothing: the call is sent without a new summary. */
  readonly onOutcome?: ((outcome: CompressionOutcome) => void) | undefined;
}

/**
 * Creates a middleware for LangChain's `createAgent` that shows the model summaries instead of old messages. The agent's messages stay unchanged; the summaries are in its
 * state, which a checkpointer saves.
 *
 * List it before `fitMiddleware`, which then counts the result.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the compressor is missing.
 *
 * @example
 * ```ts
 * import { createCompressor, messagesExceed } from "@agent-history/compression";
 * import { summaryMiddleware } from "@agent-history/langchain";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const trigger = messagesExceed(20);
 * const compressor = createCompressor({ counter, trigger, tailTokens: 200 });
 * const middleware = [summaryMiddleware({ compressor })];
 * // createAgent({ model, tools, middleware, checkpointer })
 *
 * const messages = Array.from({ length: 30 }, (_, turn) => [
 *   { role: "user", content: `What does ticket T-${turn} say? Please look it up for me.` },
 *   { role: "assistant", content: `T-${turn} is about the checkout. `.repeat(6) },
 * ]).flat();
 * const sent = await middleware[0]?.wrapModelCall({ messages }, async (request) => request.messages);
 * (sent?.length ?? 0) < 20;
 * // => true
 * messages.length;
 * // => 60
 * ```
 */
export function summaryMiddleware(options: SummaryMiddlewareOptions): HistoryMiddleware {
  const { compressor, agent, view = "thread", onOutcome } = options;
  if (typeof compressor?.compress !== "function") {
    throw new HistoryError(
      "Expected `compressor` to have `compress`: pass createCompressor() of @agent-history/compression.",
      { code: "INVALID_OPTION", details: { option: "compressor" } },
    );
  }
  return keepingMiddleware<readonly SummaryEntry[]>({
    name: "AgentHistorySummary",
    key: "_agentHistorySummaries",
    change: async (request, kept) => {
      const log = fromMessages(request.messages, { agent });
      const before = summariesOf(kept);
      const outcome = await compressor.compress(applyCompactions([...log, ...before], view), {
        view,
        signal: signalOf(request),
      });
      onOutcome?.(outcome);
      const made = madeBy(outcome);
      const summaries = [...before, ...made];
      const shown = applyCompactions([...log, ...summaries], view);
      return {
        messages: toMessages(shown, { viewer: viewerOf(agent) }),
        kept: made.length === 0 ? undefined : summaries,
      };
    },
  });
}

function madeBy(outcome: CompressionOutcome): readonly SummaryEntry[] {
  if (outcome.outcome !== "compressed") return [];
  const { compaction, compactions = [compaction] } = outcome;
  return compactions.map(({ summary }) => summary);
}

/** Validates the state, because a checkpointer may return anything. Values that are not summaries of runs are ignored. */
function summariesOf(kept: unknown): readonly SummaryEntry[] {
  const isSummary = (entry: HistoryEntry): boolean =>
    entry?.type === "summary" && entry.view !== undefined;
  return Array.isArray(kept) ? kept.filter(isSummary) : [];
}
