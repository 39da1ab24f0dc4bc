import { HistoryError } from "@agent-history/core";
import type { ModelWindow, Reducer } from "@agent-history/core";

/** What every hook that fits needs. */
interface HookOptions {
  readonly reducer: Reducer;
  readonly window: ModelWindow;
}

/** Returns options that can work. @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window. */
export function checkHookOptions<Options extends HookOptions>(options: Options): Options {
  const isReducer = typeof options?.reducer?.reduce === "function";
  const option = isReducer ? "window" : "reducer";
  if (isReducer && typeof options.window?.contextTokens === "number") return options;
  const expected = isReducer
    ? "`window` to have `contextTokens`"
    : "`reducer` to have `reduce`: pass createReducer() of @agent-history/reducer";
  throw new HistoryError(`Expected ${expected}.`, { code: "INVALID_OPTION", details: { option } });
}
