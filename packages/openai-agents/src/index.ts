// The public exports of the package.

// Sessions
export { historySession } from "./history-session.ts";
export type {
  HistorySession,
  HistorySessionOptions,
  SessionMutation,
  SessionTransactionArgs,
} from "./history-session.ts";

// Items
export { fromItems, toItems } from "./items.ts";
export type { AgentItemLike, FromItemsOptions } from "./items.ts";

// Model calls
export { fitModelInput } from "./fit-model-input.ts";
export type {
  FitModelInputOptions,
  ModelInput,
  ModelInputFilter,
  RunningAgent,
} from "./fit-model-input.ts";
export { ownTraceFilter } from "./own-trace-filter.ts";
export { sinceCompaction } from "@agent-history/format-kit";
