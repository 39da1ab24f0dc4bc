import { isHistoryError } from "@agent-history/core";
import type {
  EntrySources,
  HistoryEntry,
  HistoryStore,
  HistoryView,
  SummaryModel,
} from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { createHistoryManager } from "@agent-history/history-manager";
import type { HistoryManager, RoleWindows } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import type { CompressionRecord } from "./history/compression-record.ts";
import { notingCleaner } from "./history/noting-cleaner.ts";
import { viewCompressor } from "./history/view-compressor.ts";
import { countTokens, counter } from "./prompt/count-tokens.ts";

/** What {@link openHistory} is made of. */
export interface ThreadHistoryOptions extends EntrySources {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly windows: RoleWindows;
  /** The share of its window from which an agent's work is compressed; `Infinity` compresses nothing at all. */
  readonly compressAbove: number;
  readonly summaryModel?: SummaryModel;
  readonly onEntry: (entry: HistoryEntry) => void;
  readonly onCompression: (record: CompressionRecord) => void;
  readonly signal?: AbortSignal;
}

/** One thread, and the packages that keep it and build its prompts, put together. */
export interface ThreadHistory {
  readonly manager: HistoryManager;
  /** What each role's model can take. */
  readonly windows: RoleWindows;
  /** The tokens of everything in the thread, as far as this process knows. */
  readonly tokens: () => number;
  /** Returns whether an entry is an answer of which the cleaner took something. */
  readonly hasCleaned: (entry: HistoryEntry) => boolean;
  /** Compresses a view where it is time, and tells what became of it. */
  readonly compress: (view: HistoryView) => Promise<void>;
}

/** Opens a thread: the one place where the packages meet. */
export async function openHistory(options: ThreadHistoryOptions): Promise<ThreadHistory> {
  const { store, threadId, windows, compressAbove, onEntry, onCompression, signal } = options;
  const { newId, now, summaryModel } = options;
  const { entries: kept } = await store.read(threadId, {
    originals: true,
    ...(signal && { signal }),
  });
  let tokens = countTokens(kept);
  const { cleaner, hasCleaned } = notingCleaner();
  const isCompressing = compressAbove !== Infinity;
  const manager = createHistoryManager({
    store,
    threadId,
    counter,
    cleaner,
    reducer: createReducer({ counter, scorer: lexicalScorer() }),
    filters: {
      orchestrator: orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }),
      manager: managerHistoryFilter(),
      worker: workerHistoryFilter(),
    },
    window: windows,
    ...(isCompressing && {
      compressor: viewCompressor({
        windows,
        share: compressAbove,
        ...(summaryModel && { model: summaryModel }),
        ...(now && { now }),
      }),
    }),
    ...(newId && { newId }),
    ...(now && { now }),
    onEntries: (entries) => {
      tokens += countTokens(entries);
      entries.forEach(onEntry);
    },
  });
  return {
    manager,
    windows,
    tokens: () => tokens,
    hasCleaned,
    compress: async (view) => {
      if (isCompressing) await compressView(manager, view, { onCompression, signal });
    },
  };
}

async function compressView(
  manager: HistoryManager,
  view: HistoryView,
  {
    onCompression,
    signal,
  }: {
    readonly onCompression: (record: CompressionRecord) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  try {
    const made = await manager.compress({ view, ...(signal && { signal }) });
    if (made.outcome !== "compressed") return;
    const { summary, tokensBefore, tokensAfter } = made.compaction;
    onCompression({ view, summary, tokensBefore, tokensAfter });
  } catch (error) {
    // Another process on this thread was faster, and made a summary of the same.
    if (!isHistoryError(error, "DUPLICATE_ID")) throw error;
  }
}
