import { countOption } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import { inspectPlans } from "./inspect-plans.ts";
import type { Inspection, PlannedCall } from "./inspection.ts";
import type { InspectorData } from "./inspector-data.ts";

/** The data source of a live page. */
export interface InspectorSource {
  /** Returns the current data. */
  readonly data: () => InspectorData | Promise<InspectorData>;
  /** Returns a value that changes with the data, so that unchanged data is not read again. Default: the data is read and compared. */
  readonly version?: (() => string | number) | undefined;
}

/** Options of {@link planRecorder}; see {@link inspectPlans}. */
export interface PlanRecorderOptions extends Pick<Inspection, "counter" | "title" | "prices"> {
  /** Returns the log each time data is computed; rows have its order. Default: the entries of the recorded calls, in the order of the first call. */
  readonly entries?: (() => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>) | undefined;
  /** Maximum number of calls in memory; the oldest are removed first. Default 500. */
  readonly maxCalls?: number | undefined;
}

/** Collects the plans of a running agent. */
export interface PlanRecorder extends InspectorSource {
  /**
   * Records a plan. Pass it as the `onPlan` of a hook: `fitMiddleware` and `fitStep` pass the entries of the fit, too. A plan without entries is drawn over the log.
   */
  readonly onPlan: (plan: ReductionPlan, entries?: readonly HistoryEntry[]) => void;
  /** Records a plan with facts about its call. */
  readonly add: (call: PlannedCall) => void;
  /** Computes the data of all recorded calls. Linear. */
  readonly data: () => Promise<InspectorData>;
  readonly version: () => number;
}

/**
 * Creates a recorder: it collects plans while an agent runs, and returns the data of a page at any time. It keeps plans and entries in memory and changes nothing.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `maxCalls` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { lengthCounter, planRecorder } from "@agent-history/inspector";
 * import { planReduction } from "@agent-history/reducer";
 *
 * const recorder = planRecorder();
 * const entries = [userMessage({ id: "q", createdAtMs: 0, content: "Run the tests." })];
 * recorder.onPlan(planReduction(entries, { counter: lengthCounter(), window: { contextTokens: 1000 } }), entries);
 * (await recorder.data()).calls.length;
 * // => 1
 * ```
 */
export function planRecorder(options: PlanRecorderOptions = {}): PlanRecorder {
  const { entries: log, maxCalls = 500, ...drawing } = options;
  const most = countOption("maxCalls", maxCalls);
  const calls: PlannedCall[] = [];
  let made = 0;
  const add = (call: PlannedCall): void => {
    made += 1;
    calls.push({ id: String(made), ...call });
    if (calls.length > most) calls.shift();
  };
  return {
    add,
    onPlan: (plan, entries) => add({ plan, ...(entries && { entries }) }),
    data: async () => {
      const plans = [...calls];
      const entries = await log?.();
      return inspectPlans({ ...drawing, plans, entries: entries ?? entriesOf(plans) });
    },
    version: () => made,
  };
}

function entriesOf(calls: readonly PlannedCall[]): readonly HistoryEntry[] {
  const seen = new Map<string, HistoryEntry>();
  for (const { entries = [] } of calls)
    for (const entry of entries) if (!seen.has(entry.id)) seen.set(entry.id, entry);
  return [...seen.values()];
}
