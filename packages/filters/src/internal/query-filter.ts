import type { FilterContext, HistoryFilter, HistoryQuery } from "@agent-history/core";

/**
 * Makes a filter that is nothing but a query. What the context gives goes before the filter's own; what it leaves undefined does not.
 */
export function queryFilter(
  name: string,
  own: FilterContext,
  query: (context: FilterContext) => HistoryQuery,
): HistoryFilter {
  return {
    name,
    query: (given) => {
      const stated = Object.entries(given).filter(([, value]) => value !== undefined);
      return query({ ...own, ...Object.fromEntries(stated) });
    },
    refine: (entries) => entries,
  };
}
