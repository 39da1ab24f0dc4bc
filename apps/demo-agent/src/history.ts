import { createCompressor } from "@agent-history/compression";
import type {
  AgentRole,
  Content,
  HistoryEntry,
  HistoryFilter,
  HistoryStore,
  ModelWindow,
  SummaryModel,
} from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { createHistoryManager } from "@agent-history/history-manager";
import type { HistoryManager } from "@agent-history/history-manager";
import { historyCleaner, postProcessor, removeFromText } from "@agent-history/postprocess";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

export const counter = tiktokenCounter({ model: "gpt-4o" });

/** Adds a suggestion to an answer, between marks by which it is taken out again before the next model call. */
export const askNext = (suggestion: string) =>
  postProcessor({
    name: "ask-next",
    nonce: "q7m2licences",
    apply: (text, { mark }) =>
      suggestion === "" ? text : text + mark(`\n\nAsk next: ${suggestion}`),
  });

/** The text of an entry. */
export function textOf(content: Content | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Takes the suggestion out of an answer. */
export async function withoutSuggestion(answer: string): Promise<string> {
  return (await removeFromText(answer, { cleaners: [askNext("")] })).text;
}

/** What each role sees of the thread. */
export const filters: Readonly<Record<AgentRole, HistoryFilter>> = {
  orchestrator: orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }),
  manager: managerHistoryFilter(),
  // A worker is hired for one task: what it remembers, summaries too, is of this task.
  worker: workerHistoryFilter({ memory: "thread" }),
};

export interface ThreadOptions {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly windows: Readonly<Record<AgentRole, ModelWindow>>;
  /** Writes the summaries. */
  readonly summarize: SummaryModel;
  /** Called after entries are stored. */
  readonly onEntries?: (entries: readonly HistoryEntry[]) => void;
}

/** Opens a thread: the one place where the packages meet. */
export function openHistory(options: ThreadOptions): HistoryManager {
  const { store, threadId, windows, summarize, onEntries } = options;
  return createHistoryManager({
    store,
    threadId,
    counter,
    window: windows,
    filters,
    onEntries,
    // What earlier answers lose before they are sent again.
    cleaner: historyCleaner({ cleaners: [askNext("")] }),
    // How a view is cut down to the window: rarely and deeply, so that the provider's prompt cache keeps working in between.
    reducer: createReducer({ counter, lowWatermark: 0.5 }),
    // What replaces old entries when cutting is not enough.
    compressor: createCompressor({
      counter,
      model: summarize,
      contextTokens: windows.worker.contextTokens,
      maxTokens: Math.floor(windows.worker.contextTokens / 2),
    }),
  });
}
