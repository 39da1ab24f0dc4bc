// The contract of `@agent-history/core/query-parts`, for filters and stores that answer queries: each line is public.
export {
  firstWithinLimits,
  hideCutExchanges,
  selectEntries,
  selectPage,
  shownByClauses,
} from "../select-entries.ts";
export type { SelectedPage, SelectOptions } from "../select-entries.ts";
export type { ClauseContext, ClauseEntry, ClausePlaces } from "../clause-context.ts";
