// The contract of `@agent-history/core/kit`, for authors of stages, stores and formats: each line is public.

// Queries
export {
  firstWithinLimits,
  hideCutExchanges,
  selectEntries,
  selectPage,
  shownByClauses,
} from "./select-entries.ts";
export type { SelectedPage } from "./select-entries.ts";
export { clauseContext } from "./match-clause.ts";
export type { ClauseContext } from "./match-clause.ts";

// Content
export { CONTENT_HASH, contentHash } from "./content-hash.ts";
export { isResultMedia, splitResultMedia } from "./split-result-media.ts";
export { withoutReasoning } from "./without-reasoning.ts";
export { withSources } from "./sources.ts";

// What a request has beside tokens
export { addLoad, hasMedia, jsonBytes, loadOf, loadOfTools, mediaOf } from "./request-load.ts";
export type { RequestLoad } from "./request-load.ts";

// Spans and metrics
export { failSpan, meterOf, tracerOf } from "./tracer-of.ts";
export type { Meter, MetricHistogram, TraceSpan } from "./tracer-of.ts";
