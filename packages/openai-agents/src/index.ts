// The contract of the package: each line is public.
export { historySession } from "./history-session.ts";
export type { HistorySessionOptions } from "./history-session.ts";
export type { HistorySession, SessionMutation, SessionTransactionArgs } from "./session-types.ts";
