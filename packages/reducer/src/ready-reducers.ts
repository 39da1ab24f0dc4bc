import type { Compressor, Reducer } from "@agent-history/core";

import type { FitOptions } from "./fit-options.ts";
import { fitToWindowAsync } from "./fit-to-window.ts";
import { replaceOldTurns } from "./replace-old-turns.ts";

/** Options of {@link createReducer}: the options of a fit that are the same for each call. */
export type ReducerOptions = Omit<
  FitOptions,
  "window" | "viewer" | "view" | "tools" | "previousPlan" | "compaction" | "compacted" | "signal"
> & {
  /** Default `reducer`. */
  readonly name?: string;
};

/** Creates a {@link Reducer} for an agent loop from a counter and the options of a fit. */
export function createReducer(options: ReducerOptions): Reducer {
  const { name = "reducer", ...fit } = options;
  return {
    name,
    needsWholeView: fit.scorer !== undefined && fit.recall !== "off",
    reduce: (entries, request) => fitToWindowAsync(entries, { ...fit, ...request }),
  };
}

/** Options of {@link loopTokenReducer}. */
export type LoopTokenReducerOptions = Omit<ReducerOptions, "name">;

/**
 * Creates a reducer for an agent's tool loop: reduces sources first, with unchanged citation numbers; gives uploads their share of the budget;
 * shortens long results; then drops the oldest messages. The newest question and the running exchange are kept.
 */
export function loopTokenReducer(options: LoopTokenReducerOptions): Reducer {
  return createReducer({ ...options, name: "loop-token" });
}

/** Options of {@link threeTierReducer}. */
export interface ThreeTierReducerOptions extends Omit<ReducerOptions, "name"> {
  /** How many of the newest messages and exchanges of earlier turns are recent, and not summarized. Default 5. */
  readonly keepRecent?: number | undefined;
  /** Summarizes old messages. Without a compressor they are dropped. */
  readonly compressor?: Compressor | undefined;
}

/**
 * Creates a reducer with three tiers: system messages are kept, recent messages are kept while there is room, older ones are replaced by one
 * summary or dropped. If that is not enough, the oldest are dropped until the request fits. The summary is not a system message.
 */
export function threeTierReducer(options: ThreeTierReducerOptions): Reducer {
  const { keepRecent = 5, compressor, steps = [], ...fit } = options;
  const summary = compressor && replaceOldTurns({ compressor, keepRecent });
  const own = summary === undefined ? [] : [{ ...summary, before: "stub-old-media" } as const];
  return createReducer({ ...fit, name: "three-tier", steps: [...own, ...steps] });
}
