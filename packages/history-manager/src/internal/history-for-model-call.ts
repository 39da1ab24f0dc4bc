import { throwIfAborted } from "@agent-history/core";
import type { ReductionPlan } from "@agent-history/core";

import type { ModelCallCounts, ModelCallHistory, ModelCallRequest } from "../model-call.ts";
import type { Scope } from "../scope.ts";
import { leftNumbers } from "./drop-uncited-sources.ts";
import type { FittedPrompt } from "./fit-prompt.ts";
import { fitSince } from "./fit-since.ts";
import { fitWhole } from "./fit-whole.ts";
import type { FittedCall } from "./fit-whole.ts";
import { inSpan } from "./in-span.ts";
import { keptOf, neededOf } from "./lay-out.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { loadPrompt, savePrompt } from "./prompt-state.ts";
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
    const { store, threadId } = thread.options;
    const { signal } = request;
    throwIfAborted(signal);
    const call = resolveCall(thread.options, scope, request);
    const states = { store, threadId, signal };
    const { whole, prompt } = thread.memory.of(call.slot) ?? {};
    const before = await loadPrompt(states, call.slot, prompt);
    const { state } = before;
    const isWhole = whole !== undefined;
    const since = state && !isWhole && (await fitSince(thread, call, state));
    const made = typeof since === "object" ? since : await fitWhole(thread, call, state);
    const { view, fitted } = made;
    const { version } = view.read;
    const basis = basisOf(made, thread, call);
    const looksThrough = since === "looks-through" && !isForOther(fitted.state.plan);
    remember(made, thread, call, isWhole || looksThrough);
    // A thread that does not exist yet has no state either.
    if (version > 0) {
      const next = { ...fitted.state, version, ...(basis && { basis }) };
      thread.memory.keepPrompt(call.slot, await savePrompt(states, call.slot, before, next));
    }
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
  const cited = leftNumbers(keptOf(plan, entries), keptOf(plan, fitted.shown));
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
  isLookedThrough: boolean,
): void {
  const { stored, read } = view;
  const { viewRevision, version } = read;
  const { plan } = fitted.state;
  const shape = shapeOf(call, options);
  const isRepaired = plan.repairs.length > 0;
  if (shape === undefined || isRepaired || isLookedThrough) {
    const whole = shape === undefined ? undefined : { shape, version };
    memory.keep(call.slot, { entries: stored, viewRevision, ...(whole && { whole }) });
    return;
  }
  const byId = new Map(stored.map((entry) => [entry.id, entry]));
  const entries = neededOf(plan, fitted.shown).flatMap(({ id }) => byId.get(id) ?? []);
  memory.keep(call.slot, { entries, viewRevision });
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
