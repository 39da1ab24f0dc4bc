// The public API of the package.
export { filterHistory } from "./filter-history.ts";

// Filters
export { customHistoryFilter } from "./custom-history-filter.ts";
export type { CustomHistoryFilterOptions } from "./custom-history-filter.ts";
export { defaultHistoryFilter, historyFilterForRole } from "./history-filter-for-role.ts";
export { managerHistoryFilter } from "./manager-history-filter.ts";
export type { ManagerHistoryFilterOptions } from "./manager-history-filter.ts";
export { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
export type {
  OrchestratorHistoryFilterOptions,
  OrchestratorInclusion,
} from "./orchestrator-history-filter.ts";
export { workerHistoryFilter } from "./worker-history-filter.ts";
export type { WorkerHistoryFilterOptions, WorkerMemory } from "./worker-history-filter.ts";
