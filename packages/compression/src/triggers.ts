import { countOption, splitTurns } from "@agent-history/core";
import type { HistoryEntry, HistoryView, ModelWindow } from "@agent-history/core";

import { invalidOption } from "./internal/checked.ts";

/** Input of a trigger. Tokens are counted on first access. */
export interface TriggerSituation {
  readonly view: HistoryView;
  /** What the view shows, including entries of others. */
  readonly entries: readonly HistoryEntry[];
  /** The view's own entries. */
  readonly members: readonly HistoryEntry[];
  /** Tokens of the view's own entries. */
  readonly tokens: number;
}

/** Decides whether to compress now. Any function of this shape works. */
export type CompressionTrigger = (situation: TriggerSituation) => boolean;

/**
 * Fires if the view's entries have more than this many tokens.
 *
 * @param tokens - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function tokensExceed(tokens: number): CompressionTrigger {
  const limit = countOption("tokens", tokens);
  return (situation) => situation.tokens > limit;
}

/**
 * Fires if the view has more than this many entries of its own, system messages included.
 *
 * @param count - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function messagesExceed(count: number): CompressionTrigger {
  const limit = countOption("count", count);
  return ({ members }) => members.length > limit;
}

/**
 * Fires if the view's entries belong to more than this many turns.
 *
 * @param count - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function turnsExceed(count: number): CompressionTrigger {
  const limit = countOption("count", count);
  return ({ members }) => splitTurns(members).length > limit;
}

/**
 * Fires if the view's entries take more than a share of the window without output reserve and margin.
 *
 * @param share - Above 0 up to 1, for example 0.8.
 * @param window - The window of the model that reads the history.
 * @throws `HistoryError` with code `INVALID_OPTION` if share or window is invalid.
 */
export function windowShareExceeds(share: number, window: ModelWindow): CompressionTrigger {
  if (!(share > 0 && share <= 1)) {
    throw invalidOption("share", "a number above 0 up to 1");
  }
  const reserve = countOption("outputReserveTokens", window.outputReserveTokens ?? 0);
  const margin = countOption("marginTokens", window.marginTokens ?? 0);
  const budget = countOption("contextTokens", window.contextTokens) - reserve - margin;
  return ({ tokens }) => tokens > share * budget;
}

/**
 * Fires between two phases: after the `synthesis` that ends one, while the next has only been assigned (a `task`, a
 * `delegation`). Ignores entries without a phase.
 */
export function betweenPhases(): CompressionTrigger {
  return ({ entries }) => {
    const marked = entries.filter(
      ({ phaseId, type }) => phaseId !== undefined && type !== "summary",
    );
    const worked = marked.findLastIndex((entry) => !isGivenOut(entry));
    const last = marked[worked];
    if (last === undefined) return false;
    const isEnded = last.type === "synthesis";
    const hasNext = marked.slice(worked + 1).some(({ phaseId }) => phaseId !== last.phaseId);
    return isEnded || hasNext;
  };
}

function isGivenOut({ type }: HistoryEntry): boolean {
  return type === "task" || type === "delegation" || type === "strategic_plan";
}

/**
 * Fires if one of the triggers does; without any, never.
 *
 * @example
 * ```ts
 * import { allOf, anyOf, betweenPhases, not, tokensExceed, turnsExceed } from "@agent-history/compression";
 *
 * const trigger = anyOf(tokensExceed(50_000), allOf(betweenPhases(), not(turnsExceed(2))));
 * trigger({ view: "thread", entries: [], members: [], tokens: 60_000 });
 * // => true
 * ```
 */
export function anyOf(...triggers: readonly CompressionTrigger[]): CompressionTrigger {
  return (situation) => triggers.some((trigger) => trigger(situation));
}

/** Fires if all triggers do; without any, always. */
export function allOf(...triggers: readonly CompressionTrigger[]): CompressionTrigger {
  return (situation) => triggers.every((trigger) => trigger(situation));
}

/** Fires if the trigger does not. */
export function not(trigger: CompressionTrigger): CompressionTrigger {
  return (situation) => !trigger(situation);
}
