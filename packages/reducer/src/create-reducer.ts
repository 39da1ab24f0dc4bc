import type { Reducer } from "@agent-history/core";

import type { FitOptions } from "./fit-options.ts";
import { fitToWindowAsync } from "./fit-to-window.ts";

/** Options of {@link createReducer}: those of a fit that do not change from call to call. */
export type ReducerOptions = Omit<
  FitOptions,
  "window" | "viewer" | "view" | "tools" | "previousPlan" | "signal"
> & {
  /** Default `reducer`. */
  readonly name?: string;
};

/** Makes a {@link Reducer} for an agent loop, from a counter and steps. */
export function createReducer(options: ReducerOptions): Reducer {
  const { name = "reducer", ...fit } = options;
  const needsWholeView = fit.scorer !== undefined && fit.recall !== "off";
  return {
    name,
    needsWholeView,
    reduce: (entries, request) => fitToWindowAsync(entries, { ...fit, ...request }),
  };
}
