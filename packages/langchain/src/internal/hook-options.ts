import { HistoryError } from "@agent-history/core";
import type { Agent, ModelWindow, Reducer, Viewer } from "@agent-history/core";

/** What all that fits needs. */
interface HookOptions {
  readonly reducer: Reducer;
  readonly window: ModelWindow;
}

/** Returns options that can work. @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window. */
export function checkHookOptions<Options extends HookOptions>(options: Options): Options {
  if (typeof options?.reducer?.reduce !== "function") {
    throw invalid("reducer", "to have `reduce`: pass createReducer() of @agent-history/reducer");
  }
  if (typeof options.window?.contextTokens !== "number") {
    throw invalid("window", "to have `contextTokens`");
  }
  return options;
}

/** Returns whose prompt an agent's is. */
export function viewerOf(agent: Agent | undefined): Viewer {
  return agent === undefined ? {} : { agentId: agent.id };
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
