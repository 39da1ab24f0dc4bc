import { systemMessage, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, Reduction } from "@agent-history/core";

import type { Scope } from "../history-manager.ts";
import type { ModelCallCounts, ModelCallHistory, ModelCallRequest } from "../model-call.ts";
import { limitHistory } from "./limit-history.ts";
import { inSpan, INSTRUCTIONS_ID, reservedId } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { noteReports, writeReport } from "./name-reports.ts";
import { loadPrompt, savePrompt } from "./prompt-state.ts";
import type { PromptState } from "./prompt-state.ts";
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
    const call = resolveCall(thread.options, scope, request);
    const loaded = await loadPrompt(thread, call);
    const { view, shown, entries, plan } = await readAndFit(thread, call, loaded.state);
    throwIfAborted(signal);
    const { needsWholeView } = thread.reducer;
    const start = needsWholeView === false ? (startOf(shown, plan) ?? view.start) : undefined;
    const { version, viewRevision, problems } = view.read;
    // A thread that does not exist yet has no state.
    if (version > 0) await savePrompt(thread, call, loaded, { plan, viewRevision, start });
    rememberView(thread, call, view, start);
    const counts = countsOf({ entries, plan });
    span?.setAttributes({
      "agent_history.entries.read": view.read.entries.length,
      "agent_history.entries.before": counts.viewEntries,
      "agent_history.entries.after": counts.shownEntries,
      "agent_history.tokens.before": counts.viewTokens,
      "agent_history.tokens.after": counts.shownTokens,
    });
    return { entries, plan, counts, problems };
  });
}

interface FittedView extends Reduction {
  readonly view: StoredView;
  /** The fitted view. */
  readonly shown: readonly HistoryEntry[];
}

/** Reads and fits. Reads the whole view if the plan cannot be followed as far as the read part begins. */
async function readAndFit(
  thread: ManagedThread,
  call: ResolvedCall,
  state: PromptState | undefined,
): Promise<FittedView> {
  const view = await readView(thread, call, state);
  const fitted = await fitView(thread, call, view, state);
  const stoppedBy = fitted.plan.continued?.stoppedBy;
  const isEnough = view.start === undefined || stoppedBy === undefined || stoppedBy === "cut";
  return isEnough ? fitted : fitView(thread, call, await readWhole(thread, call), state);
}

/** Fits a view to the window, and continues the plan of the previous call. */
async function fitView(
  thread: ManagedThread,
  call: ResolvedCall,
  view: StoredView,
  state: PromptState | undefined,
): Promise<FittedView> {
  const shown = await prepareEntries(thread, call, view.entries);
  const { window, viewer, query, request } = call;
  const { tools, signal } = request;
  const reduction = await thread.reducer.reduce(shown, {
    window,
    viewer,
    view: query.view ?? "thread",
    asWritten: writeReport,
    ...(tools && { tools }),
    ...(signal && { signal }),
    ...(state && { previousPlan: state.plan }),
  });
  const entries = reduction.entries.map((entry) => writeReport(entry, viewer));
  return { ...reduction, view, shown, entries };
}

/** Filters, cleans, names reports, shows the rendered message and the chosen uploads, and limits earlier turns to their share. */
async function prepareEntries(
  { options }: ManagedThread,
  { context, filter, request, viewer, window }: ResolvedCall,
  stored: readonly HistoryEntry[],
): Promise<readonly HistoryEntry[]> {
  const { counter, maxHistoryShare = 1 } = options;
  const { signal, uploads, renderedUserMessage: rendered, cleaner = options.cleaner } = request;
  const seen = filter.refine?.(stored, context) ?? stored;
  // The caller passes the instructions.
  const history = seen.filter(
    ({ type, id }) =>
      type !== "system_message" && (type !== "attachment" || uploads?.includes(id) !== false),
  );
  let shown = noteReports((await cleaner?.clean(history, signal))?.entries ?? history, viewer);
  if (rendered !== undefined) {
    const { originalUserMessage: original } = request;
    shown = showRendered(shown, { original, rendered, agentId: context.agentId });
  }
  if (maxHistoryShare < 1) {
    const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
    const room = Math.max(0, contextTokens - outputReserveTokens - marginTokens);
    // 0 times Infinity is NaN.
    const maxTokens = maxHistoryShare === 0 ? 0 : Math.floor(room * maxHistoryShare);
    shown = await limitHistory(shown, { maxTokens, counter, viewer, signal });
  }
  // Not part of the thread: without a time, and with an id of its own.
  const content = request.systemMessage;
  for (const { id } of shown) if (id === INSTRUCTIONS_ID) throw reservedId(STORED_BY_ANOTHER);
  return [systemMessage({ id: INSTRUCTIONS_ID, createdAtMs: 0, content }), ...shown];
}

const STORED_BY_ANOTHER =
  "The thread has a stored entry with this id. Nothing was changed. Use a filter that excludes the entry, or replace it with the store's `replaceSuffix`.";

function countsOf({ entries, plan }: Reduction): ModelCallCounts {
  const { decisions, requestTokens, totalTokens, continued } = plan;
  let viewEntries = 0;
  let viewTokens = requestTokens;
  for (const { entryCount, tokensBefore } of decisions) {
    viewEntries += entryCount;
    viewTokens += tokensBefore;
  }
  return {
    viewEntries,
    shownEntries: entries.length,
    viewTokens,
    shownTokens: totalTokens,
    // The plan only appends to the previous one.
    isContinued: continued !== undefined && continued.stoppedBy === undefined,
  };
}
