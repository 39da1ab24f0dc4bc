import { isHistoryError, systemMessage, throwIfAborted } from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryError,
  ModelWindow,
  Reducer,
  Reduction,
  ReductionPlan,
  ReductionRequest,
} from "@agent-history/core";

import type { ModelCallCounts, ModelCallHistory, ModelCallRequest } from "../model-call.ts";
import type { Scope } from "../scope.ts";
import { cleanAnswers } from "./clean-answers.ts";
import { dropUncitedSources, findCited } from "./drop-uncited-sources.ts";
import { inSpan } from "./in-span.ts";
import { INSTRUCTIONS_ID, requireShowableIds } from "./instructions-id.ts";
import { limitHistory } from "./limit-history.ts";
import { limitUploads } from "./limit-uploads.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { loadPrompt, savePrompt } from "./prompt-state.ts";
import type { CitedSources, PromptState } from "./prompt-state.ts";
import { readView, readWhole, rememberView, startOf } from "./read-view.ts";
import type { StoredView } from "./read-view.ts";
import { resolveCall } from "./resolve-call.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { showRendered } from "./show-rendered.ts";

/**
 * Builds a prompt: reads what the role may see, filters and cleans it, fits it to the window, and keeps the plan in the store. Of two processes that build
 * a prompt of one agent at once, the first that stores its plan wins; the other's prompt is valid, and its next one may lose the cached prefix.
 */
export async function historyForModelCall(
  thread: ManagedThread,
  scope: Scope,
  request: ModelCallRequest,
): Promise<ModelCallHistory> {
  return inSpan("agent_history.model_call", async (span) => {
    const { signal } = request;
    throwIfAborted(signal);
    const { options } = thread;
    const call = resolveCall(options, scope, request);
    const states = { store: options.store, threadId: options.threadId, signal };
    const loaded = await loadPrompt(states, call.slot);
    const { view, shown, fitted } = await readAndFit(thread, call, loaded.state);
    throwIfAborted(signal);
    const start = startOf(shown, fitted.plan, fitted.cited) ?? view.start;
    // A thread that does not exist yet has no state.
    if (view.read.version > 0) {
      const { plan, cited } = fitted;
      const { viewRevision } = view.read;
      const state = { plan, viewRevision, ...(cited && { cited }), ...(start && { start }) };
      await savePrompt(states, call.slot, loaded, state);
    }
    rememberView(thread, call, view, start);
    const counts = countsOf(fitted);
    span?.setAttributes({
      "agent_history.entries.read": view.read.entries.length,
      "agent_history.entries.before": counts.viewEntries,
      "agent_history.entries.after": counts.shownEntries,
      "agent_history.tokens.before": counts.viewTokens,
      "agent_history.tokens.after": counts.shownTokens,
    });
    return { entries: fitted.entries, plan: fitted.plan, counts, problems: view.read.problems };
  });
}

interface Made {
  readonly view: StoredView;
  /** What was fitted. */
  readonly shown: readonly HistoryEntry[];
  readonly fitted: FittedPrompt;
}

/** Reads and fits; if the plan holds no further than a part of the view can show, the whole view is read. */
async function readAndFit(
  thread: ManagedThread,
  call: ResolvedCall,
  state: PromptState | undefined,
): Promise<Made> {
  const searchesOriginal = call.request.originalUserMessage !== undefined;
  const view = searchesOriginal
    ? await readWhole(thread, call)
    : await readView(thread, call, state);
  const made = await prepareAndFit(thread, call, view, state);
  const stoppedBy = made.fitted.plan.continued?.stoppedBy;
  const isEnough = view.start === undefined || stoppedBy === undefined || stoppedBy === "cut";
  return isEnough ? made : prepareAndFit(thread, call, await readWhole(thread, call), state);
}

async function prepareAndFit(
  thread: ManagedThread,
  call: ResolvedCall,
  view: StoredView,
  state: PromptState | undefined,
): Promise<Made> {
  const shown = await prepareEntries(thread, call, view.entries);
  const { window, viewer, query, request } = call;
  const { tools, signal } = request;
  const fitted = await fitPrompt(thread, shown, state, {
    window,
    viewer,
    view: query.view ?? "thread",
    ...(tools && { tools }),
    ...(signal && { signal }),
  });
  return { view, shown, fitted };
}

/** Filters, cleans, shows the rendered message, and limits earlier turns and uploads to their shares. */
async function prepareEntries(
  thread: ManagedThread,
  call: ResolvedCall,
  stored: readonly HistoryEntry[],
): Promise<readonly HistoryEntry[]> {
  const { cleaner, counter, maxHistoryShare = 1, uploads } = thread.options;
  const { context, filter, request, viewer, window } = call;
  const { signal } = request;
  const seen = filter.refine?.(stored, context) ?? stored;
  // The caller gives the instructions.
  const history = seen.filter(({ type }) => type !== "system_message");
  const cleaned = (await cleaner?.clean(history, signal))?.entries ?? history;
  const said = await cleanAnswers(cleaned, request.removeFromText, signal);
  const rendered = showRendered(said, {
    original: request.originalUserMessage,
    rendered: request.renderedUserMessage,
    agentId: context.agentId,
  });
  const room = promptTokens(window);
  const maxTokens = maxHistoryShare === 1 ? Infinity : shareOf(room, maxHistoryShare);
  const recent = await limitHistory(rendered, { maxTokens, counter, viewer, signal });
  const limited = await limitUploads(recent, {
    selected: request.uploads,
    maxTokens: shareOf(room, uploads?.maxShare ?? DEFAULT_UPLOAD_SHARE),
    counter,
    viewer,
    signal,
  });
  requireShowableIds(limited);
  // Not part of the thread: without a time, and with an id of its own.
  const content = request.systemMessage;
  return [systemMessage({ id: INSTRUCTIONS_ID, createdAtMs: 0, content }), ...limited];
}

/** The share of a prompt that uploads may have if the options do not say. */
const DEFAULT_UPLOAD_SHARE = 0.6;

/** Nothing of an infinite window is none. */
function shareOf(tokens: number, share: number): number {
  return share === 0 ? 0 : Math.floor(tokens * share);
}

function promptTokens(window: ModelWindow): number {
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  return Math.max(0, contextTokens - outputReserveTokens - marginTokens);
}

/** A prompt that fits, and what the next one continues. */
interface FittedPrompt extends Reduction {
  readonly cited: CitedSources | undefined;
}

/**
 * Fits a prompt and continues the plan of the previous call. Sources that no answer cited go when a cut invalidates the cached prefix anyway, and stay gone until
 * the next one.
 */
async function fitPrompt(
  { reducer }: ManagedThread,
  entries: readonly HistoryEntry[],
  state: PromptState | undefined,
  request: ReductionRequest,
): Promise<FittedPrompt> {
  if (state === undefined) {
    // Without a limit nothing is ever cut.
    const isLimited = request.window.contextTokens !== Infinity;
    const cited = isLimited ? findCited(entries) : undefined;
    return { ...(await reducer.reduce(dropUncitedSources(entries, cited), request)), cited };
  }
  const again = { ...request, previousPlan: state.plan };
  const sent = dropUncitedSources(entries, state.cited);
  const reduction = await reduceOrTooSmall(reducer, sent, again);
  if (!(reduction instanceof Error) && isContinued(reduction.plan)) {
    return { ...reduction, cited: state.cited };
  }
  const cited = findCited(entries, state.cited);
  const left = dropUncitedSources(entries, cited);
  const isSame = left.every((entry, index) => entry === sent[index]);
  if (!isSame) return { ...(await reducer.reduce(left, again)), cited };
  if (reduction instanceof Error) throw reduction;
  return { ...reduction, cited };
}

async function reduceOrTooSmall(
  reducer: Reducer,
  entries: readonly HistoryEntry[],
  request: ReductionRequest,
): Promise<Reduction | HistoryError> {
  try {
    return await reducer.reduce(entries, request);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return error;
    throw error;
  }
}

/** Returns whether a plan only adds to the one before: nothing that was sent has changed. */
function isContinued({ continued }: ReductionPlan): boolean {
  return continued !== undefined && continued.stoppedBy === undefined;
}

function countsOf({ entries, plan }: Reduction): ModelCallCounts {
  const { decisions } = plan;
  return {
    viewEntries: decisions.reduce((sum, { entryCount }) => sum + entryCount, 0),
    shownEntries: entries.length,
    viewTokens: decisions.reduce((sum, { tokensBefore }) => sum + tokensBefore, plan.requestTokens),
    shownTokens: plan.totalTokens,
    isContinued: isContinued(plan),
  };
}
