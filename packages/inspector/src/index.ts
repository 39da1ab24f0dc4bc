// The public exports of the package.

// The data of the page
export { inspectPlans } from "./inspect-plans.ts";
export type { Inspection, PlannedCall } from "./inspection.ts";
export { inspectThread } from "./inspect-thread.ts";
export { inspectSession } from "./inspect-session.ts";
export type {
  CallColumn,
  CellState,
  DrawnCompaction,
  InspectorData,
  RequestChange,
} from "./inspector-data.ts";

// Recording a running agent
export { planRecorder } from "./plan-recorder.ts";
export type { InspectorSource, PlanRecorder, PlanRecorderOptions } from "./plan-recorder.ts";

// The page
export { inspectorPage } from "./inspector-page.ts";
export type { InspectorPageOptions } from "./inspector-page.ts";

// What-if
export { LENGTH_COUNTER_ID, lengthCounter } from "./length-counter.ts";
export { callEntries, carriedCounter, stepNames, whatIf } from "./what-if.ts";
export type { WhatIf } from "./what-if.ts";
