import type { Compressor, Reducer } from "@agent-history/core";

import type { FitOptions } from "./fit-options.ts";
import { fitToWindowAsync } from "./fit-to-window.ts";
import { replaceOldTurns } from "./replace-old-turns.ts";

/** Options of {@link createReducer}: those of a fit that do not change from call to call. */
export type ReducerOptions = Omit<
  FitOptions,
  "window" | "viewer" | "view" | "tools" | "previousPlan" | "compaction" | "compacted" | "signal"
> & {
  /** Default `reducer`. */
  readonly name?: string;
};

/** Makes a {@link Reducer} for an agent loop, from a counter and the options of a fit. */
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
 * Makes the reducer of an agent's tool loop: references are reduced first, their numbers unchanged; uploads get their share of the window;
 * long results are shortened; then the oldest messages go. The newest question and the running exchange stay.
 */
export function loopTokenReducer(options: LoopTokenReducerOptions): Reducer {
  return createReducer({ ...options, name: "loop-token" });
}

/** Options of {@link threeTierReducer}. */
export interface ThreeTierReducerOptions extends Omit<ReducerOptions, "name"> {
  /** How many of the newest messages and exchanges of earlier turns are recent, and not summarized. Default 5. */
  readonly keepRecent?: number | undefined;
  /** Summarizes the old. Without one they are dropped. */
  readonly compressor?: Compressor | undefined;
}

/**
 * Makes a reducer of three tiers: system messages stay, recent messages stay while there is room, old ones become one
 * summary or go. If that is not enough, the oldest go first until the window fits. The summary is no system message.
 */
export function threeTierReducer(options: ThreeTierReducerOptions): Reducer {
  const { keepRecent = 5, compressor, steps = [], ...fit } = options;
  const summary = compressor && replaceOldTurns({ compressor, keepRecent });
  const own = summary === undefined ? [] : [{ ...summary, before: "stub-old-media" } as const];
  return createReducer({ ...fit, name: "three-tier", steps: [...own, ...steps] });
}
