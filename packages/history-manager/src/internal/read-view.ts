import { systemMessage } from "@agent-history/core";
import type { HistoryEntry, ModelWindow, ReadResult } from "@agent-history/core";

import { cleanAnswers } from "./clean-answers.ts";
import { dropUncitedSources } from "./drop-uncited-sources.ts";
import { INSTRUCTIONS_ID, requireShowableIds } from "./instructions-id.ts";
import { limitHistory } from "./limit-history.ts";
import { limitUploads } from "./limit-uploads.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { showRendered } from "./show-rendered.ts";
import { hasGrownBy, shapeOf, unlessGone } from "./view-basis.ts";

/** The share of a prompt that uploads may have where the options do not say. */
const DEFAULT_MAX_SHARE = 0.6;

/** What a call is to show. */
export interface ShownView {
  readonly entries: readonly HistoryEntry[];
  /** The entries without the sources that were not cited up to an answer. */
  readonly citedUntil: (answer: string | undefined) => readonly HistoryEntry[];
  /** What was read, as it stands in the store, in its order. */
  readonly stored: readonly HistoryEntry[];
  /** The id of the last entry of the view in the store. */
  readonly last: string | undefined;
  readonly read: ReadResult;
}

/** Reads what a call may see, and makes of it what the call is to show: filtered, cleaned, rendered, uploads within their share. */
export async function readView(thread: ManagedThread, call: ResolvedCall): Promise<ShownView> {
  const { context, filter, request } = call;
  const { signal } = request;
  const { stored, read } = (await readOn(thread, call)) ?? (await readAll(thread, call));
  const cleaned = await cleanView(filter.refine(stored, context), thread, call);
  const rendered = renderView(cleaned, call);
  const { counter, maxHistoryShare = 1 } = thread.options;
  const maxTokens = historyTokens(promptTokens(call.window), maxHistoryShare);
  const { viewer } = call;
  const recent = await limitHistory(rendered, { maxTokens, counter, viewer, signal });
  const limited = await shareUploads(recent, thread, call);
  requireShowableIds(limited);
  const entries = [instructions(thread, call), ...limited];
  const last = stored.at(-1)?.id;
  return {
    entries,
    citedUntil: (answer) => dropUncitedSources(entries, answer),
    stored,
    last,
    read,
  };
}

type StoredView = Pick<ShownView, "stored" | "read">;

async function readAll(
  { memory, options: { store, threadId } }: ManagedThread,
  { query, request: { signal }, slot }: ResolvedCall,
): Promise<StoredView> {
  const read = await store.read(threadId, { query, ...(signal && { signal }) });
  return { stored: memory.recall(slot, read.entries), read };
}

/** Reads what came since the whole view was remembered; nothing where it was not, or has not only grown. */
async function readOn(thread: ManagedThread, call: ResolvedCall): Promise<StoredView | undefined> {
  const remembered = thread.memory.of(call.slot);
  const { entries = [], viewRevision, whole } = remembered ?? {};
  const last = entries.at(-1)?.id;
  if (whole === undefined || last === undefined) return undefined;
  if (whole.shape !== shapeOf(call, thread.options)) return undefined;
  const { store, threadId } = thread.options;
  const {
    query,
    request: { signal },
  } = call;
  const since = { ...query, after: last, splitExchanges: true };
  return unlessGone(async () => {
    const read = await store.read(threadId, { query: since, ...(signal && { signal }) });
    const { version } = whole;
    const isSame = read.viewRevision === viewRevision && hasGrownBy(read.entries, version, read);
    return isSame ? { stored: [...entries, ...read.entries], read } : undefined;
  });
}

/** Leaves out instructions, which the caller gives, and what models did not write. Judges each entry by itself. */
export async function cleanView(
  entries: readonly HistoryEntry[],
  { options: { cleaner } }: ManagedThread,
  { request: { removeFromText, signal } }: ResolvedCall,
): Promise<readonly HistoryEntry[]> {
  const history = entries.some(isSystemMessage)
    ? entries.filter((entry) => !isSystemMessage(entry))
    : entries;
  const cleaned =
    cleaner === undefined ? { entries: history } : await cleaner.clean(history, signal);
  return cleanAnswers(cleaned.entries, removeFromText, signal);
}

/** Shows the rendered message of a call. */
export function renderView(
  entries: readonly HistoryEntry[],
  { request, context }: ResolvedCall,
): readonly HistoryEntry[] {
  return showRendered(entries, {
    original: request.originalUserMessage,
    rendered: request.renderedUserMessage,
    agentId: context.agentId,
  });
}

/** Shows uploads within their share. */
export async function shareUploads(
  entries: readonly HistoryEntry[],
  { options: { counter, uploads } }: ManagedThread,
  { request: { uploads: selected, signal }, viewer, window }: ResolvedCall,
): Promise<readonly HistoryEntry[]> {
  const maxTokens = Math.floor(promptTokens(window) * (uploads?.maxShare ?? DEFAULT_MAX_SHARE));
  return limitUploads(entries, { selected, maxTokens, counter, viewer, signal });
}

/** The caller's system message. No part of the thread: it has no time, and an id of its own. */
export function instructions(
  { memory }: ManagedThread,
  { slot, request: { systemMessage: content } }: ResolvedCall,
): HistoryEntry {
  return memory.remake(slot, systemMessage({ id: INSTRUCTIONS_ID, createdAtMs: 0, content }));
}

function isSystemMessage({ type }: HistoryEntry): boolean {
  return type === "system_message";
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
