import type { Reducer } from "@agent-history/core";

import type { FitOptions } from "./fit-options.ts";
import { fitToWindowAsync } from "./fit-to-window.ts";

/** Options of {@link createReducer}: all of a fit but what each call brings. */
export type ReducerOptions = Omit<
  FitOptions,
  "window" | "viewer" | "view" | "tools" | "previousPlan" | "signal"
> & {
  /** Default `reducer`. */
  readonly name?: string;
};

/** Makes a {@link Reducer} of a counter and steps: what an agent's loop is handed. */
export function createReducer(options: ReducerOptions): Reducer {
  const { name = "reducer", ...fit } = options;
  return { name, reduce: (entries, request) => fitToWindowAsync(entries, { ...fit, ...request }) };
}
