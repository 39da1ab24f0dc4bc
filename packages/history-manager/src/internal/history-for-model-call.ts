import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { ModelCallCounts, ModelCallHistory, ModelCallRequest } from "../model-call.ts";
import type { Scope } from "../scope.ts";
import { leftNumbers } from "./drop-uncited-sources.ts";
import type { FittedPrompt } from "./fit-prompt.ts";
import { fitSince } from "./fit-since.ts";
import { fitWhole } from "./fit-whole.ts";
import type { FittedCall } from "./fit-whole.ts";
import { inSpan } from "./in-span.ts";
import { isGone, keptOf, neededOf } from "./lay-out.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { loadPrompt, madePrompt, savePrompt } from "./prompt-state.ts";
import type { KeptPrompt, MadePrompt } from "./prompt-state.ts";
import type { ShownView } from "./read-view.ts";
import { resolveCall } from "./resolve-call.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { shapeOf } from "./view-basis.ts";
import type { ViewBasis } from "./view-basis.ts";

/** Builds a prompt: read, clean, fit, and keep the plan for the next. */
export async function historyForModelCall(
  thread: ManagedThread,
  scope: Scope,
  request: ModelCallRequest,
): Promise<ModelCallHistory> {
  return inSpan("agent_history.model_call", async (span) => {
    throwIfAborted(request.signal);
    const call = resolveCall(thread.options, scope, request);
    const { fitted, view } = await fitAndKeep(thread, call);
    const result = resultOf(fitted, view);
    const { counts } = result;
    span?.setAttributes({
      "agent_history.entries.read": view.read.entries.length,
      "agent_history.entries.before": counts.viewEntries,
      "agent_history.entries.after": counts.shownEntries,
      "agent_history.tokens.before": counts.viewTokens,
      "agent_history.tokens.after": counts.shownTokens,
    });
    return result;
  });
}

/**
 * Makes a prompt and keeps its plan. What this process kept last is continued before it is read again: the write that follows expects its revision, and so
 * proves that nothing else was kept since. Where that fails, or nothing is to be written, the state is read.
 */
async function fitAndKeep(thread: ManagedThread, call: ResolvedCall): Promise<FittedCall> {
  const { store, threadId } = thread.options;
  const states = { store, threadId, signal: call.request.signal };
  const { whole, prompt } = thread.memory.of(call.slot) ?? {};
  const isWhole = whole !== undefined;
  let since = isWhole ? undefined : prompt && (await fitSince(thread, call, prompt.state));
  if (typeof since === "object" && prompt !== undefined) {
    const next = nextPrompt(since, thread, call);
    const isChanged = next.text !== prompt.text;
    const kept = isChanged ? await savePrompt(states, call.slot, prompt, next) : undefined;
    if (kept !== undefined) {
      remember(since, thread, call, { isLookedThrough: false, isWhole: false, prompt: kept });
      return since;
    }
  }
  const before = await loadPrompt(states, call.slot, prompt);
  const { state } = before;
  // What was kept is gone: the thread may have been made anew, with other entries under the ids of before.
  if (prompt !== undefined && before.stored === undefined) thread.memory.forget(call.slot);
  const isOther = state !== prompt?.state;
  if (isOther) since = isWhole ? undefined : state && (await fitSince(thread, call, state));
  const parted = typeof since === "object" ? since : undefined;
  const made = parted ?? (await fitWhole(thread, call, state));
  const looksThrough = since === "looks-through" && !isForOther(made.fitted.state.plan);
  // A thread that does not exist yet has no state either.
  const isKept = made.view.read.version > 0;
  const next = isKept ? nextPrompt(made, thread, call) : undefined;
  const kept = next && (await savePrompt(states, call.slot, before, next));
  const isLookedThrough = isWhole || looksThrough;
  remember(made, thread, call, { isLookedThrough, isWhole: parted === undefined, prompt: kept });
  return made;
}

/** What the next call continues. */
function nextPrompt(made: FittedCall, thread: ManagedThread, call: ResolvedCall): MadePrompt {
  const basis = basisOf(made, thread, call);
  const { version } = made.view.read;
  return madePrompt({ ...made.fitted.state, version, ...(basis && { basis }) });
}

/** Returns whether a plan was made for another request than the one before: that it looks through all is not said of the next. */
function isForOther({ continued }: ReductionPlan): boolean {
  return OTHERS.has(continued?.stoppedBy ?? "");
}

const OTHERS: ReadonlySet<string> = new Set([
  "counter",
  "damaged",
  "recall",
  "request",
  "view",
  "viewer",
  "window",
]);

/** What the next call may continue without reading the view whole. */
function basisOf(
  { view, fitted }: FittedCall,
  thread: ManagedThread,
  call: ResolvedCall,
): ViewBasis | undefined {
  const shape = shapeOf(call, thread.options);
  const { entries, last, read } = view;
  const { plan } = fitted.state;
  if (shape === undefined || last === undefined || plan.repairs.length > 0) return undefined;
  const isAllCited = fitted.shown === entries;
  const cited = isAllCited ? [] : leftNumbers(keptOf(plan, entries), keptOf(plan, fitted.shown));
  const { viewRevision } = read;
  return { shape, viewRevision, last, ...(cited.length > 0 && { cited }) };
}

/**
 * Remembers the entries that the next call needs: what is kept and quoted; all of a view that must be read whole, so that the next call reads what came
 * since.
 */
function remember(
  { view, fitted }: FittedCall,
  { memory, options }: ManagedThread,
  call: ResolvedCall,
  {
    isLookedThrough,
    isWhole,
    prompt,
  }: {
    readonly isLookedThrough: boolean;
    /** The view was read whole: of what was read in parts the rest is unknown. */
    readonly isWhole: boolean;
    readonly prompt: KeptPrompt | undefined;
  },
): void {
  const { stored, read } = view;
  const { viewRevision, version } = read;
  const { plan } = fitted.state;
  const shape = shapeOf(call, options);
  const isRepaired = plan.repairs.length > 0;
  if (shape === undefined || isRepaired || isLookedThrough) {
    const whole = isWhole && shape !== undefined ? { shape, version } : undefined;
    memory.keep(call.slot, { entries: stored, viewRevision, prompt, ...(whole && { whole }) });
    return;
  }
  const entries = needsAll(plan, stored) ? stored : neededIn(plan, fitted.shown, stored);
  memory.keep(call.slot, { entries, viewRevision, prompt });
}

/** Returns whether stored entries are just what a plan keeps of them. */
function needsAll(plan: ReductionPlan, stored: readonly HistoryEntry[]): boolean {
  const kept = plan.decisions.filter(({ action }) => !isGone(action));
  const keptCount = kept.reduce((sum, { entryCount }) => sum + entryCount, 0);
  // The instructions are not stored.
  return keptCount === stored.length + 1;
}

function neededIn(
  plan: ReductionPlan,
  shown: readonly HistoryEntry[],
  stored: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const byId = new Map(stored.map((entry) => [entry.id, entry]));
  return neededOf(plan, shown).flatMap(({ id }) => byId.get(id) ?? []);
}

function resultOf(
  { reduction: { entries, plan }, isContinued }: FittedPrompt,
  { read: { problems } }: ShownView,
): ModelCallHistory {
  const counts: ModelCallCounts = {
    viewEntries: plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0),
    shownEntries: entries.length,
    viewTokens: plan.decisions.reduce(
      (sum, { tokensBefore }) => sum + tokensBefore,
      plan.requestTokens,
    ),
    shownTokens: plan.totalTokens,
    isContinued,
  };
  return { entries, plan, counts, problems };
}
