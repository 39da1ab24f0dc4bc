import * as agents from "@agent-history/openai-agents";
import { fitToWindowAsync } from "@agent-history/reducer";

import { withReducer } from "./for-model.ts";
import type { ForModel } from "./for-model.ts";

// The public exports of the entry `agent-history/openai-agents`.
export type { ForModel, ModelOptions } from "./for-model.ts";
export { fromItems, historySession, ownTraceFilter, toItems } from "@agent-history/openai-agents";
export type {
  AgentItemLike,
  FromItemsOptions,
  HistorySession,
  HistorySessionOptions,
  ModelInput,
  ModelInputFilter,
  SessionMutation,
  SessionTransactionArgs,
} from "@agent-history/openai-agents";

/**
 * Creates a `callModelInputFilter` for the OpenAI Agents SDK that trims the items of each call to the model's context window. Instructions, tools, handoffs and the output type count. The run's items and
 * its session stay unchanged.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitModelInput } from "agent-history/openai-agents";
 *
 * const callModelInputFilter = fitModelInput({ model: "gpt-5" });
 * // await run(agent, "To Rome, please.", { session, callModelInputFilter });
 * ```
 */
export function fitModelInput(
  options: ForModel<agents.FitModelInputOptions>,
): agents.ModelInputFilter {
  return agents.fitModelInput(withReducer(options, fitToWindowAsync));
}
