import { systemMessage } from "@agent-history/core";
import type { HistoryEntry, ModelWindow, ReadResult } from "@agent-history/core";

import { cleanAnswers } from "./clean-answers.ts";
import { limitUploads } from "./limit-uploads.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { showRendered } from "./show-rendered.ts";

/** The share of a prompt that uploads may have where the options do not say. */
const DEFAULT_MAX_SHARE = 0.6;

/** Reads what a call may see, and makes of it what the call is to show: filtered, cleaned, rendered, uploads within their share. */
export async function readView(
  thread: ManagedThread,
  call: ResolvedCall,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly read: ReadResult }> {
  const { store, threadId } = thread.options;
  const { context, filter, query, request, slot } = call;
  const { signal } = request;
  const read = await store.read(threadId, { query, ...(signal && { signal }) });
  const seen = filter.refine(thread.memory.recall(slot, read.entries), context);
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
  const limited = await limitUploads(rendered, {
    selected: request.uploads,
    maxTokens: Math.floor(
      promptTokens(call.window) * (thread.options.uploads?.maxShare ?? DEFAULT_MAX_SHARE),
    ),
    counter: thread.options.counter,
    viewer: call.viewer,
    signal,
  });
  return { entries: [instructions(call), ...limited], read };
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

function promptTokens(window: ModelWindow): number {
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  return Math.max(0, contextTokens - outputReserveTokens - marginTokens);
}
