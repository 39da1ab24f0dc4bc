import type { ModelWindow, TokenCounter } from "@agent-history/core";
import { modelCounter, modelWindow } from "@agent-history/tokens";

import type { ModelOptions } from "../model-options.ts";

/** Returns the window and the counter of a model, or what replaces them. */
export function modelParts({ model = "", window, counter, estimate }: ModelOptions): {
  readonly window: ModelWindow;
  readonly counter: TokenCounter;
} {
  return {
    window: window ?? modelWindow(model),
    counter: counter ?? modelCounter(model, { estimate }),
  };
}
