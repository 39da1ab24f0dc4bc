// The contract of `@agent-history/core/query-parts`, for stores that answer a query from an index: each line is public.
export { firstWithinLimits, hideCutExchanges, shownByClauses } from "../select-entries.ts";
export { selectPage } from "../select-page.ts";
export type { SelectedPage } from "../select-page.ts";
export { numberTurns } from "./number-turns.ts";
export { threadFacts } from "./thread-facts.ts";
export type { FactEntry, ThreadFacts } from "../thread-facts.ts";
