import { systemMessage } from "@agent-history/core";
import type { HistoryEntry, ModelWindow, ReadResult } from "@agent-history/core";

import { cleanAnswers } from "./clean-answers.ts";
import { limitHistory } from "./limit-history.ts";
import { limitUploads } from "./limit-uploads.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { showRendered } from "./show-rendered.ts";

/** The share of a prompt that uploads may have where the options do not say. */
const DEFAULT_MAX_SHARE = 0.6;

/** What a call is to show. */
export interface ShownView {
  readonly entries: readonly HistoryEntry[];
  /** Those of them that stand in the store as they are. */
  readonly stored: ReadonlySet<HistoryEntry>;
  readonly read: ReadResult;
}

/** Reads what a call may see, and makes of it what the call is to show: filtered, cleaned, rendered, uploads within their share. */
export async function readView(thread: ManagedThread, call: ResolvedCall): Promise<ShownView> {
  const { store, threadId } = thread.options;
  const { context, filter, query, request, slot } = call;
  const { signal } = request;
  const read = await store.read(threadId, { query, ...(signal && { signal }) });
  const recalled = thread.memory.recall(slot, read.entries);
  const seen = filter.refine(recalled, context);
  // The caller says what the model is told to be.
  const history = seen.some(isSystemMessage)
    ? seen.filter((entry) => !isSystemMessage(entry))
    : seen;
  const cleaned = await clean(history, thread, call);
  const rendered = showRendered(cleaned, {
    original: request.originalUserMessage,
    rendered: request.renderedUserMessage,
    agentId: context.agentId,
  });
  const { counter, maxHistoryShare = 1 } = thread.options;
  const room = promptTokens(call.window);
  const maxTokens = historyTokens(room, maxHistoryShare);
  const { viewer } = call;
  const recent = await limitHistory(rendered, { maxTokens, counter, viewer, signal });
  const limited = await limitUploads(recent, {
    selected: request.uploads,
    maxTokens: Math.floor(room * (thread.options.uploads?.maxShare ?? DEFAULT_MAX_SHARE)),
    counter,
    viewer,
    signal,
  });
  const told = thread.memory.remake(slot, instructions(call));
  return { entries: [told, ...limited], stored: new Set(recalled), read };
}

async function clean(
  entries: readonly HistoryEntry[],
  { options: { cleaner } }: ManagedThread,
  { request: { removeFromText, signal } }: ResolvedCall,
): Promise<readonly HistoryEntry[]> {
  const cleaned = cleaner === undefined ? { entries } : await cleaner.clean(entries, signal);
  return cleanAnswers(cleaned.entries, removeFromText, signal);
}

function isSystemMessage({ type }: HistoryEntry): boolean {
  return type === "system_message";
}

/** No part of the thread: it has no time, and an id that tells it apart. */
function instructions({ request: { systemMessage: content } }: ResolvedCall): HistoryEntry {
  return systemMessage({ id: "history-manager/system", createdAtMs: 0, content });
}

/** All of a window without end is not a limit, and nothing of it is none. */
function historyTokens(room: number, share: number): number {
  if (share === 1) return Infinity;
  return share === 0 ? 0 : Math.floor(room * share);
}

function promptTokens(window: ModelWindow): number {
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  return Math.max(0, contextTokens - outputReserveTokens - marginTokens);
}
