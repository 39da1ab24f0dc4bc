// The contract of `@agent-history/core/query-parts`, for filters and stores that answer queries: each line is public.
export {
  firstWithinLimits,
  hideCutExchanges,
  selectEntries,
  showByClauses,
  shownByClauses,
} from "../select-entries.ts";
export type { SelectOptions } from "../select-entries.ts";
export { selectPage, selectPageSteps } from "../select-page.ts";
export type { SelectedPage } from "../select-page.ts";
export { numberTurns } from "./number-turns.ts";
export { inSteps } from "../steps.ts";
export type { Steps } from "../steps.ts";
export { clauseContext } from "./clause-context.ts";
export { knownContext } from "./known-context.ts";
export { newestFirst } from "./newest-first.ts";
export type { ClauseContext, ClauseEntry, ClausePlaces } from "../clause-context.ts";
