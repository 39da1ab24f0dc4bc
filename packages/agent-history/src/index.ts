// The contract of the package: each line is public.
export { createHistory } from "./create-history.ts";
export type { HistoryOptions } from "./create-history.ts";
export type { ModelOptions } from "./model-options.ts";
export type { HistoryManager } from "@agent-history/history-manager";

// Threads for tests and single processes
export { memoryStore } from "@agent-history/core/memory-store";

// Errors
export { HistoryError, isHistoryError } from "@agent-history/core";
export type { HistoryErrorCode, ReductionPlan } from "@agent-history/core";
