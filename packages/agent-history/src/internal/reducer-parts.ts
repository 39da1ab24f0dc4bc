import type {
  HistoryEntry,
  ModelWindow,
  Reducer,
  Reduction,
  ReductionRequest,
} from "@agent-history/core";
import { createReducer, fitToWindow } from "@agent-history/reducer";
import type { ReducerOptions } from "@agent-history/reducer";

import type { ModelOptions } from "../model-options.ts";
import { requireOptions } from "./fit-options-of.ts";
import { modelParts } from "./model-parts.ts";

/** Options of a hook that fits: the model, and how to fit. */
export interface HookOptions extends ModelOptions, Omit<ReducerOptions, "counter"> {}

/** Returns the reducer and the window of a model, as the hooks of the formats take them. */
export function reducerParts(options: HookOptions): {
  readonly reducer: Reducer;
  readonly window: ModelWindow;
} {
  const { window, fit } = fitParts(options);
  return { window, reducer: createReducer(fit) };
}

/** Like {@link reducerParts}, with a reducer that answers at once. */
export function syncReducerParts(options: HookOptions): {
  readonly reducer: Reducer & {
    reduce(entries: readonly HistoryEntry[], request: ReductionRequest): Reduction;
  };
  readonly window: ModelWindow;
} {
  const { window, fit } = fitParts(options);
  const reduce = (entries: readonly HistoryEntry[], request: ReductionRequest): Reduction =>
    fitToWindow(entries, { ...fit, ...request });
  return { window, reducer: { name: "reducer", reduce } };
}

/** Returns the options of a fit that a hook was given, without those of the hook's own. */
function fitParts(options: HookOptions): {
  readonly window: ModelWindow;
  readonly fit: ReducerOptions;
} {
  const { window, counter } = modelParts(requireOptions(options));
  const { steps, without, scorer, recall, uploads } = options;
  const { maxResultShare, firstRequestShare, lowWatermark, recheck, contentName } = options;
  // None may be forgotten: what a hook is given and does not pass on is ignored in silence.
  const how = {
    steps,
    without,
    scorer,
    recall,
    uploads,
    maxResultShare,
    firstRequestShare,
    lowWatermark,
  } satisfies Record<
    Exclude<
      keyof ReducerOptions,
      "asWritten" | "bytesOf" | "counter" | "name" | "recheck" | "contentName"
    >,
    unknown
  >;
  return {
    window,
    fit: {
      counter,
      ...how,
      ...(recheck !== undefined && { recheck }),
      ...(contentName && { contentName }),
    },
  };
}
