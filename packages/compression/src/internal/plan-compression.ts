import type { CompressionSituation, HistoryEntry, SummaryModel } from "@agent-history/core";

import type { NotNeededCause } from "../compression-result.ts";
import type { CompressionState } from "../compression-state.ts";
import { isWaiting } from "../compression-state.ts";
import type { AllowedSpan } from "./allowed-spans.ts";
import { allowedSpans } from "./allowed-spans.ts";
import { askModel } from "./ask-model.ts";
import { checkAnswer } from "./check-answer.ts";
import { modelPolicy } from "./model-policy.ts";
import { orAborted } from "./or-aborted.ts";
import { recallModel } from "./remembered-models.ts";
import type { Settings } from "./settings.ts";
import { showView } from "./show-view.ts";
import { viewItems } from "./view-items.ts";

/** What there is to do; without spans, why nothing. */
export interface CompressionPlan {
  readonly strategy: string;
  readonly spans: readonly AllowedSpan[];
  readonly cause: NotNeededCause;
  /** The view's own entries, in order. */
  readonly members: readonly HistoryEntry[];
  /** Where each of them stands among them. */
  readonly indexes: ReadonlyMap<HistoryEntry, number>;
  /** Tokens of what may be covered. */
  readonly tokens: number;
}

/** Decides what becomes a summary. Only a strategy of the user's own asks a model for that. */
export async function planCompression(
  entries: readonly HistoryEntry[],
  settings: Settings,
  state: CompressionState,
): Promise<CompressionPlan> {
  const { view, trigger, strategy, tokensOf } = settings;
  const { signal } = settings.options;
  const shown = showView(entries, view);
  const { members, items } = viewItems(shown, settings);
  const coverable = items.filter(({ isCoverable }) => isCoverable);
  const tokens = coverable.reduce((sum, item) => sum + item.tokens, 0);
  const indexes = new Map(members.map((entry, index) => [entry, index]));
  const none = { strategy: "none", spans: [], members, indexes, tokens };
  const situation = {
    view,
    entries: shown,
    members,
    get tokens(): number {
      return members.reduce((sum, entry) => sum + tokensOf(entry), 0);
    },
  };
  if (trigger !== undefined && !trigger(situation)) return { ...none, cause: "trigger" };
  if (coverable.every(({ isEarlierSummary }) => isEarlierSummary)) {
    return { ...none, cause: "nothing-to-cover" };
  }
  if (isWaiting(state, members, tokensOf)) return { ...none, cause: "cooling-down" };
  const model = strategyModel(settings);
  const asked: CompressionSituation = {
    view,
    items,
    ...(model && { model }),
    ...(signal && { signal }),
  };
  const proposal = await orAborted(Promise.resolve(strategy(asked)), signal);
  const spans = allowedSpans(items, proposal);
  return { ...none, strategy: proposal.strategy ?? "custom", spans, cause: "strategy" };
}

/** Returns strategies the model that writes summaries, with its timeout and attempts. */
function strategyModel({ options, counter }: Settings): SummaryModel | undefined {
  const { model } = options;
  if (model === undefined) return undefined;
  const made = recallModel(model);
  const policy = made?.policy ?? modelPolicy(options);
  return (request) => {
    const { signal = options.signal } = request;
    const asked = { ...request, ...(signal && { signal }) };
    return askModel(made?.ask ?? model, asked, policy, (answer) => {
      const problem = checkAnswer(answer, { counter, maxTokens: request.maxOutputTokens });
      return problem === undefined ? { value: String(answer) } : { problem };
    });
  };
}
