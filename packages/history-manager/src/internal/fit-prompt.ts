import { isHistoryError } from "@agent-history/core";
import type {
  HistoryEntry,
  HistoryError,
  Reducer,
  Reduction,
  ReductionPlan,
  ReductionRequest,
} from "@agent-history/core";

import { newestAnswer } from "./drop-uncited-sources.ts";
import type { PromptState } from "./prompt-state.ts";
import type { ShownView } from "./read-view.ts";

/** A prompt that fits, and what the next one continues. */
export interface FittedPrompt {
  readonly reduction: Reduction;
  /** What was fitted: the view without sources that nobody cited. */
  readonly shown: readonly HistoryEntry[];
  readonly state: FittedState;
  readonly isContinued: boolean;
}

/** What the next call continues, but for what it was read from. */
type FittedState = Pick<PromptState, "plan" | "citedUntil">;

type FittedView = Pick<ShownView, "entries" | "citedUntil">;

/**
 * Fits a prompt, continuing the call before as far as the same entries stand at its beginning. Sources that nobody cited go when a cut is
 * made anyway, and stay gone until the next.
 */
export async function fitPrompt(
  view: FittedView,
  reducer: Reducer,
  {
    request,
    earlier,
  }: { readonly request: ReductionRequest; readonly earlier: FittedState | undefined },
): Promise<FittedPrompt> {
  if (earlier === undefined) return fitStateless(view, reducer, request);
  const { plan: previousPlan, citedUntil } = earlier;
  const sent = view.citedUntil(citedUntil);
  const reduction = await tryToReduce(reducer, sent, { ...request, previousPlan });
  if (!(reduction instanceof Error) && isContinued(reduction.plan)) {
    const state = stateOf(reduction.plan, citedUntil);
    return { reduction, shown: sent, state, isContinued: true };
  }
  return fitAtCut(view, reducer, { request, sent, reduction, previousPlan });
}

/** Returns whether a plan only adds to the one before: nothing that was sent has changed. */
function isContinued({ continued }: ReductionPlan): boolean {
  return continued !== undefined && continued.stoppedBy === undefined;
}

/** Nothing of this prompt was sent before: there is no cached prefix to keep. */
async function fitStateless(
  { entries, citedUntil }: FittedView,
  reducer: Reducer,
  request: ReductionRequest,
): Promise<FittedPrompt> {
  // Without a limit nothing is ever cut.
  const until = request.window.contextTokens === Infinity ? undefined : newestAnswer(entries);
  const shown = citedUntil(until);
  const reduction = await reducer.reduce(shown, request);
  return { reduction, shown, state: stateOf(reduction.plan, until), isContinued: false };
}

interface Cut {
  readonly request: ReductionRequest;
  readonly sent: readonly HistoryEntry[];
  /** What became of the fit with all sources that were shown until now. */
  readonly reduction: Reduction | HistoryError;
  readonly previousPlan: ReductionPlan;
}

/** A cut is made: what nobody cited goes first. */
async function fitAtCut(
  { entries, citedUntil }: FittedView,
  reducer: Reducer,
  { request, sent, reduction, previousPlan }: Cut,
): Promise<FittedPrompt> {
  const until = newestAnswer(entries);
  const shown = citedUntil(until);
  if (shown.every((entry, index) => entry === sent[index])) {
    if (reduction instanceof Error) throw reduction;
    return { reduction, shown, state: stateOf(reduction.plan, until), isContinued: false };
  }
  const made = await reducer.reduce(shown, { ...request, previousPlan });
  return { reduction: made, shown, state: stateOf(made.plan, until), isContinued: false };
}

async function tryToReduce(
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

function stateOf(plan: ReductionPlan, citedUntil: string | undefined): FittedState {
  return { plan, ...(citedUntil === undefined ? {} : { citedUntil }) };
}
