import { countOption, HistoryError } from "@agent-history/core";
import type { ModelWindow, Reducer } from "@agent-history/core";

/** What everything that fits needs. */
export interface FitOptionsToCheck {
  readonly reducer: Reducer;
  readonly window: ModelWindow;
}

/**
 * Returns options of a hook that can work: those that never can are refused where it is made, and not at its first call.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer, or no window in whole tokens that holds what it reserves.
 *
 * @example
 * ```ts
 * import { isHistoryError } from "@agent-history/core";
 * import { checkFitOptions } from "@agent-history/format-kit";
 *
 * const reducer = { name: "none", reduce: () => ({ entries: [], plan: {} as never }) };
 * let failure: unknown;
 * try {
 *   checkFitOptions({ reducer, window: { contextTokens: -1 } });
 * } catch (error) {
 *   failure = error;
 * }
 * isHistoryError(failure, "INVALID_OPTION");
 * // => true
 * ```
 */
export function checkFitOptions<Options extends FitOptionsToCheck>(options: Options): Options {
  if (typeof options?.reducer?.reduce !== "function") {
    throw invalid("reducer", "to have `reduce`: pass createReducer() of @agent-history/reducer");
  }
  const { window } = options;
  if (typeof window?.contextTokens !== "number") {
    throw invalid("window", "to have `contextTokens`");
  }
  const context = countOption("window.contextTokens", window.contextTokens);
  const reserve = countOption("window.outputReserveTokens", window.outputReserveTokens ?? 0);
  const margin = countOption("window.marginTokens", window.marginTokens ?? 0);
  if (context - reserve - margin >= 0) return options;
  throw invalid("window", `to reserve at most its ${context} tokens, got ${reserve} + ${margin}`);
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
