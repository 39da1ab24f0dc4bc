import { HistoryError, countOption } from "@agent-history/core";
import type { ModelWindow } from "@agent-history/core";

import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires where the view's entries take more than a share of what the window leaves beside output reserve and margin.
 *
 * @param share - Above 0 up to 1, for example 0.8.
 * @param window - The window of the model that reads the history.
 * @throws `HistoryError` with code `INVALID_OPTION` if share or window is none.
 */
export function windowShareExceeds(share: number, window: ModelWindow): CompressionTrigger {
  if (!(share > 0 && share <= 1)) {
    throw new HistoryError("Expected `share` to be a number above 0 up to 1.", {
      code: "INVALID_OPTION",
      details: { option: "share" },
    });
  }
  const reserve = countOption("outputReserveTokens", window.outputReserveTokens ?? 0);
  const margin = countOption("marginTokens", window.marginTokens ?? 0);
  const budget = countOption("contextTokens", window.contextTokens) - reserve - margin;
  return ({ tokens }) => tokens > share * budget;
}
