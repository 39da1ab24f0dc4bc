import { HistoryError, isHistoryError } from "@agent-history/core";
import type { ModelWindow, TokenCounter } from "@agent-history/core";
import { modelCounter, modelWindow, reasoningRule } from "@agent-history/tokens";

import type { ModelOptions } from "../model-options.ts";

/** Returns the window and the counter of a model, or what replaces them. With a window, the tokens of any model are estimated. */
export function modelParts({ model = "", window, counter, estimate }: ModelOptions): {
  readonly window: ModelWindow;
  readonly counter: TokenCounter;
} {
  return {
    window: window === undefined ? windowOfModel(model) : { ...requestLimits(model), ...window },
    counter: counterOf({ model, counter, estimate: estimate ?? window !== undefined }),
  };
}

/** Returns the counter of a model, or what replaces it. */
export function counterOf({
  model = "",
  counter,
  estimate,
}: Omit<ModelOptions, "window">): TokenCounter {
  return counter ?? modelCounter(model, { estimate });
}

/** Returns what one request of a model may have beside tokens, and how it binds reasoning; of a model that is not known, the latter alone. */
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

/**
 * Returns the window of a model; `advice` says what to pass for one that is not known.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`.
 */
export function windowOfModel(
  model: string,
  {
    advice = "Pass `window`: { contextTokens, outputReserveTokens }.",
    ...reserved
  }: { readonly advice?: string; readonly outputReserveTokens?: number } = {},
): ModelWindow {
  try {
    return modelWindow(model, reserved);
  } catch (error) {
    const { similar } = isHistoryError(error) ? error.details : {};
    if (!Array.isArray(similar)) throw error;
    const guess = similar.length === 0 ? "" : ` Did you mean ${similar.join(", ")}?`;
    throw new HistoryError(
      `Expected \`model\` to be a model whose window is known; got ${JSON.stringify(model)}.${guess} ${advice} For a deployment of Azure, pass the model behind it.`,
      { code: "INVALID_OPTION", details: { option: "model", similar }, cause: error },
    );
  }
}
