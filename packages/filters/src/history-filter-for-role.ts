import { HistoryError } from "@agent-history/core";
import type { AgentRole, HistoryFilter } from "@agent-history/core";

import { queryFilter } from "./internal/query-filter.ts";
import { managerHistoryFilter } from "./manager-history-filter.ts";
import { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
import { workerHistoryFilter } from "./worker-history-filter.ts";

/** Creates a filter that shows everything, with the compactions of the whole thread. A history without summaries is returned by identity. */
export function defaultHistoryFilter(): HistoryFilter {
  return queryFilter("default", {}, () => ({ clauses: [{}], view: "thread" }));
}

/**
 * Returns the built-in filter of a role, with its defaults; without a role, the default filter.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the role does not exist.
 *
 * @example
 * ```ts
 * import { historyFilterForRole } from "@agent-history/filters";
 *
 * historyFilterForRole("worker").name;
 * // => "worker"
 * ```
 */
export function historyFilterForRole(role?: AgentRole): HistoryFilter {
  if (role === undefined) return defaultHistoryFilter();
  const filter = FILTERS.get(role);
  if (filter !== undefined) return filter();
  throw new HistoryError(
    `Expected \`role\` to be one of ${[...FILTERS.keys()].join(", ")}; use customHistoryFilter for another.`,
    { code: "INVALID_OPTION", details: { option: "role" } },
  );
}

const FILTERS: ReadonlyMap<string, () => HistoryFilter> = new Map([
  ["orchestrator", orchestratorHistoryFilter],
  ["manager", managerHistoryFilter],
  ["worker", workerHistoryFilter],
]);
