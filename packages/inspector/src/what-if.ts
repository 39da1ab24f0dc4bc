import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { maskOldResults, planReduction, STEP_NAMES } from "@agent-history/reducer";
import type { ReductionStep } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import type { CallColumn, InspectorData } from "./inspector-data.ts";
import { lengthCounter } from "./length-counter.ts";

/** The changed options of a fit. */
export interface WhatIf {
  /** The context window in tokens, including output reserve and margin. Default: that of the call. */
  readonly contextTokens?: number | undefined;
  /** Ranks old messages. Default `none`. */
  readonly scorer?: "none" | "lexical" | undefined;
  /** `masking` masks old tool results first, which suits coding agents. Default `default`. */
  readonly steps?: "default" | "masking" | undefined;
  /** Names of steps to leave out. Default: none. */
  readonly without?: readonly string[] | undefined;
  /** Counts text that is not in a row. Default: an estimate by length. */
  readonly estimate?: TokenCounter | undefined;
}

/**
 * Fits the entries of one call again, stateless, with other options. Unchanged entries count as in their rows; shortened text is estimated.
 *
 * @throws `HistoryError` as `planReduction` does, with code `WINDOW_TOO_SMALL` if the protected part does not fit.
 */
export function whatIf(data: InspectorData, call: CallColumn, asked: WhatIf = {}): ReductionPlan {
  const scorer = asked.scorer === "lexical" ? lexicalScorer() : undefined;
  const without = new Set(asked.without);
  const { window, view, viewer } = call.request ?? {};
  return planReduction(callEntries(data, call), {
    counter: carriedCounter(data, call, asked.estimate),
    window: {
      ...window,
      contextTokens: asked.contextTokens ?? window?.contextTokens ?? call.windowTokens ?? Infinity,
    },
    steps: stepsOf(asked).filter(({ name }) => !without.has(name)),
    without: STEP_NAMES.filter((name) => without.has(name)),
    scorer,
    view,
    viewer,
  });
}

/** Returns the names of a fit's steps in order, for use in `without`. */
export function stepNames({ steps }: Pick<WhatIf, "steps"> = {}): readonly string[] {
  return [...stepsOf({ steps }).map(({ name }) => name), ...STEP_NAMES];
}

function stepsOf({ steps }: Pick<WhatIf, "steps">): readonly ReductionStep[] {
  return steps === "masking" ? [maskOldResults()] : [];
}

/** Returns the entries of a call's view in row order: the input of its fit. */
export function callEntries(
  { entries }: Pick<InspectorData, "entries">,
  { runs }: Pick<CallColumn, "runs">,
): readonly HistoryEntry[] {
  return runs.flatMap(([row, rows]) => entries.slice(row, row + rows));
}

/**
 * Creates the counter of what-if: an entry of the data counts as in its row, and the request as in the call. Shortened text is estimated with
 * `estimate`. Entries are recognized by identity: pass those of `data.entries`.
 *
 * @param estimate - Counts text that is not in a row. Default: {@link lengthCounter}.
 */
export function carriedCounter(
  data: Pick<InspectorData, "entries" | "tokens" | "counterId">,
  call: Pick<CallColumn, "request">,
  estimate: TokenCounter = lengthCounter(),
): TokenCounter {
  const carried = new Map<HistoryEntry, number>();
  data.entries.forEach((entry, row) => carried.set(entry, data.tokens[row] ?? 0));
  for (const [row, tokens] of call.request?.counts ?? []) {
    const entry = data.entries[row];
    if (entry !== undefined) carried.set(entry, tokens);
  }
  return {
    id: `carried:${data.counterId}:${estimate.id}`,
    countText: (text, limit) => estimate.countText(text, limit),
    countEntry: (entry, viewer) => carried.get(entry) ?? estimate.countEntry(entry, viewer),
    countMedia: (entry) => estimate.countMedia?.(entry) ?? [],
    countRequest: () => call.request?.requestTokens ?? 0,
  };
}
