import type { FilterContext, HistoryFilter, HistoryQuery } from "@agent-history/core";

/** Makes a filter that is nothing but a query. */
export function queryFilter(
  name: string,
  query: (context: FilterContext) => HistoryQuery,
): HistoryFilter {
  return { name, query, refine: (entries) => entries };
}
