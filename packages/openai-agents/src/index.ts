// The contract of the package: each line is public.

// Sessions
export { historySession } from "./history-session.ts";
export type { HistorySessionOptions } from "./history-session.ts";
export type { HistorySession, SessionMutation, SessionTransactionArgs } from "./session-types.ts";

// Items
export { fromItems } from "./from-items.ts";
export type { FromItemsOptions } from "./from-items.ts";
export { toItems } from "./to-items.ts";
export type { AgentItemLike } from "./agent-item.ts";

// Calls of the model
export { fitModelInput } from "./fit-model-input.ts";
export type {
  FitModelInputOptions,
  ModelInput,
  ModelInputFilter,
  RunningAgent,
} from "./fit-model-input.ts";
export { ownTraceFilter } from "./own-trace-filter.ts";
export { sinceCompaction } from "@agent-history/format-kit";
