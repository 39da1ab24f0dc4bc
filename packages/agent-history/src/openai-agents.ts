// The contract of the entry `agent-history/openai-agents`: each line is public.
export { historySession } from "@agent-history/openai-agents";
export type {
  HistorySession,
  HistorySessionOptions,
  SessionMutation,
  SessionTransactionArgs,
} from "@agent-history/openai-agents";
