import type { HistoryFilter } from "@agent-history/core";

import { queryFilter } from "./internal/query-filter.ts";

/** Makes the filter that shows everything, with the compactions of the whole thread. A history without summaries is returned by identity. */
export function defaultHistoryFilter(): HistoryFilter {
  return queryFilter("default", {}, () => ({ clauses: [{}], view: "thread" }));
}
