import type { ModelWindow, Reducer } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import type { ReducerOptions } from "@agent-history/reducer";

import type { ModelOptions } from "../model-options.ts";
import { modelParts } from "./model-parts.ts";

/** Options of a hook that fits: the model, and how to fit. */
export interface HookOptions extends ModelOptions, Omit<ReducerOptions, "counter"> {}

/** Returns the reducer and the window of a model, as the hooks of the formats take them. */
export function reducerParts({ model, window, counter, estimate, ...options }: HookOptions): {
  readonly reducer: Reducer;
  readonly window: ModelWindow;
} {
  const parts = modelParts({ model, window, counter, estimate });
  return { window: parts.window, reducer: createReducer({ ...options, counter: parts.counter }) };
}
