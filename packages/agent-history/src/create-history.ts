import { createCompressor } from "@agent-history/compression";
import type { CompressorOptions } from "@agent-history/compression";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { createHistoryManager } from "@agent-history/history-manager";
import type { HistoryManager, HistoryManagerOptions } from "@agent-history/history-manager";
import {
  followUpQuestionCleaner,
  historyCleaner,
  stockChartCleaner,
  subAgentCleaner,
} from "@agent-history/postprocess";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { modelParts } from "./for-model.ts";
import type { ModelOptions } from "./for-model.ts";

/** Options of {@link createHistory}: the model, and overrides for any part of the manager. */
export interface HistoryOptions
  extends Omit<ModelOptions, "window">, Omit<HistoryManagerOptions, "counter" | "window"> {
  /** The context window, or one per role. Default: the model's. */
  readonly window?: HistoryManagerOptions["window"] | undefined;
  /** Writes the summaries of `compress`. Default: none; summaries are then extracted without a model. */
  readonly summaryModel?: CompressorOptions["model"] | undefined;
}

/**
 * Creates a history manager with defaults for all parts: the model's counter and window, lexical recall, filters for orchestrator, manager and worker, a
 * cleaner for text that was added to answers for users, and a compressor. Override any part with the option of the same name.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { createHistory, memoryStore } from "agent-history";
 *
 * const history = createHistory({ model: "gpt-5", store: memoryStore(), threadId: "chat-1" });
 * await history.addUserMessage({ content: "To Rome, please." });
 * const { entries } = await history.historyForModelCall({ systemMessage: "You book flights." });
 * entries.map(({ content }) => content);
 * // => ["You book flights.", "To Rome, please."]
 * ```
 */
export function createHistory(options: HistoryOptions): HistoryManager {
  const { model, window, counter: given, estimate, summaryModel, ...parts } = options;
  const one = window && ("contextTokens" in window ? window : window.orchestrator);
  const known = modelParts({ model, window: one, counter: given, estimate });
  const { counter } = known;
  return createHistoryManager({
    reducer: createReducer({ counter, scorer: lexicalScorer() }),
    filters: {
      orchestrator: orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }),
      manager: managerHistoryFilter(),
      worker: workerHistoryFilter(),
    },
    cleaner: historyCleaner({
      cleaners: [followUpQuestionCleaner(), stockChartCleaner(), subAgentCleaner()],
    }),
    compressor: createCompressor({ counter, model: summaryModel }),
    ...parts,
    counter,
    window: window ?? known.window,
  });
}
