// The contract of the entry `agent-history/openai-agents`: each line is public.
export { fitModelInput } from "./fit-model-input.ts";
export type { FitModelInputForModelOptions } from "./fit-model-input.ts";
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
