// The contract of the package: each line is public.

// The data of the page
export { inspectPlans } from "./inspect-plans.ts";
export type { Inspection, PlannedCall } from "./inspection.ts";
export { inspectSession } from "./inspect-session.ts";
export type { InspectSessionOptions } from "./inspect-session.ts";
export type {
  CallColumn,
  CellRun,
  CellState,
  DrawnCompaction,
  DrawnDecision,
  DrawnEdit,
  DrawnFact,
  DrawnRequest,
  InspectorData,
  RequestChange,
} from "./inspector-data.ts";

// The page
export { inspectorPage } from "./inspector-page.ts";

// What if
export { carriedCounter } from "./carried-counter.ts";
export { LENGTH_COUNTER_ID, lengthCounter } from "./length-counter.ts";
export { callEntries, stepNames, whatIf } from "./what-if.ts";
export type { WhatIf } from "./what-if.ts";
