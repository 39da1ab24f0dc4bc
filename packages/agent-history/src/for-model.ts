import { HistoryError } from "@agent-history/core";
import type {
  HistoryEntry,
  ModelWindow,
  Reducer,
  ReductionRequest,
  TokenCounter,
  ToolDefinition,
} from "@agent-history/core";
import type { RepairOption } from "@agent-history/format-kit";
import type { FitOptions, ReducerOptions } from "@agent-history/reducer";
import { modelCounter, modelWindow, reasoningRule } from "@agent-history/tokens";

/** The model, and overrides of its known properties. */
export interface ModelOptions {
  /**
   * The model's name, e.g. `gpt-5`, `openai/gpt-5` or `claude-opus-5-5`. It determines the context window, the tokens reserved for the answer, and the
   * counter. Optional if `window` is given.
   */
  readonly model?: string | undefined;
  /**
   * The context window in tokens, and limits on bytes and images. Default: the model's, from the table of `@agent-history/tokens`; missing
   * limits on bytes and images default to the model's, too.
   */
  readonly window?: ModelWindow | undefined;
  /** Counts tokens. Default: the model's; exact for OpenAI's models, an estimate for others. */
  readonly counter?: TokenCounter | undefined;
  /** Allows estimates, deliberately high, for a model without a known tokenizer. Default: `true` if `window` is given. */
  readonly estimate?: boolean | undefined;
}

/** Options of counting a request for a model: those of the format's function, with the model instead of the counter. */
export type CountForModel<Request> = (Request extends unknown ? Omit<Request, "counter"> : never) &
  Omit<ModelOptions, "window">;

/** Options of fitting a whole request: the model, and those of `fitToWindow`, such as `previousPlan` and `scorer`. */
export interface FitRequestOptions
  extends ModelOptions, RepairOption, Omit<FitOptions, "window" | "counter" | "tools"> {}

/** Options of a format's function, with the model and the fit's options instead of its reducer and window. */
export type ForModel<Options> = ModelOptions &
  Omit<ReducerOptions, "counter"> &
  Omit<Options, "reducer" | "window" | "model">;

/**
 * Replaces the model in the options by its reducer and window, as the formats' functions take them.
 *
 * @param fit - `fitToWindow`, whose reducer is synchronous, or `fitToWindowAsync`.
 */
export function withReducer<Options extends ModelOptions & Omit<ReducerOptions, "counter">, Result>(
  options: Options,
  fit: (entries: readonly HistoryEntry[], options: FitOptions) => Result,
): Omit<Options, "window"> & {
  readonly reducer: Pick<Reducer, "name"> & {
    reduce(entries: readonly HistoryEntry[], request: ReductionRequest): Result;
  };
  readonly window: ModelWindow;
} {
  const { window, counter } = modelParts(requireOptions(options));
  const { steps, without, scorer, recall, uploads, recheck, contentName } = options;
  const { maxResultShare, firstRequestShare, lowWatermark } = options;
  const shares = { uploads, maxResultShare, firstRequestShare, lowWatermark };
  // Each option must be listed: one that is not passed on would be ignored silently.
  const how = { steps, without, scorer, recall, ...shares, recheck } satisfies Record<
    Exclude<keyof ReducerOptions, "asWritten" | "bytesOf" | "counter" | "name" | "contentName">,
    unknown
  >;
  const names = contentName && { contentName };
  return {
    ...options,
    window,
    reducer: {
      name: "reducer",
      reduce: (entries, request) => fit(entries, { counter, ...how, ...names, ...request }),
    },
  };
}

/**
 * Checks that options were passed, and returns them.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if they are missing.
 */
export function requireOptions<Options extends object>(options: Options): Options {
  const given: unknown = options;
  if (typeof given === "object" && given !== null) return options;
  throw new HistoryError("Expected options, such as { model }.", {
    code: "INVALID_OPTION",
    details: { option: "options" },
  });
}

/** Returns the options of `fitToWindow` for a request. */
export function fitOptionsOf(
  { model, window, counter, estimate, ...options }: FitRequestOptions,
  tools: readonly ToolDefinition[] | undefined,
): FitOptions & RepairOption {
  return { ...options, tools, ...modelParts({ model, window, counter, estimate }) };
}

/** Returns the window and the counter of a model, or their overrides. If `window` is given, the tokens of any model may be estimated. */
export function modelParts({ model = "", window, counter, estimate }: ModelOptions): {
  readonly window: ModelWindow;
  readonly counter: TokenCounter;
} {
  return {
    window: window === undefined ? modelWindow(model) : { ...requestLimits(model), ...window },
    counter: counterOf({ model, counter, estimate: estimate ?? window !== undefined }),
  };
}

/** Returns the counter of a model, or its override. */
export function counterOf({
  model = "",
  counter,
  estimate,
}: Omit<ModelOptions, "window">): TokenCounter {
  return counter ?? modelCounter(model, { estimate });
}

/** Returns a model's limits other than tokens, and how it binds reasoning; for an unknown model only the latter. */
function requestLimits(model: string): Partial<ModelWindow> {
  const reasoning = reasoningRule(model);
  try {
    const { contextTokens, maxOutputTokens, outputReserveTokens, marginTokens, ...limits } =
      modelWindow(model);
    return limits;
  } catch {
    return reasoning === undefined ? {} : { reasoning };
  }
}
