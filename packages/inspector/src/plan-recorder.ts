import { countOption } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import { inspectPlans } from "./inspect-plans.ts";
import type { Inspection, PlannedCall } from "./inspection.ts";
import type { InspectorData } from "./inspector-data.ts";

/** Where a page that follows something gets its data from. */
export interface InspectorSource {
  /** Returns the data of this moment. */
  readonly data: () => InspectorData | Promise<InspectorData>;
  /** Calls back when there is something new, until the returned function is called. */
  readonly onChange?: ((listener: () => void) => () => void) | undefined;
}

/** Options of {@link planRecorder}; those of {@link inspectPlans} mean the same. */
export interface PlanRecorderOptions extends Pick<Inspection, "counter" | "title" | "prices"> {
  /** Returns the log, whenever data is made: rows stand in its order. Default: what the recorded calls hold, in the order of its first call. */
  readonly entries?: (() => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>) | undefined;
  /** How many calls are remembered; the oldest go first. Default 500. */
  readonly maxCalls?: number | undefined;
}

/** Collects the plans of a running agent. */
export interface PlanRecorder extends InspectorSource {
  /**
   * Remembers a plan, as the `onPlan` of a hook: `fitMiddleware` and `fitStep` pass the entries that the fit was given. A plan without them is drawn over the log.
   */
  readonly onPlan: (
    plan: ReductionPlan,
    given?: number | readonly HistoryEntry[],
    entries?: readonly HistoryEntry[],
  ) => void;
  /** Remembers a plan with what is known of its call. */
  readonly add: (call: PlannedCall) => void;
  /** Tells that the log has changed without a plan, such as by a compaction. */
  readonly changed: () => void;
  /** Returns the data of what was recorded until now. Linear in it. */
  readonly data: () => Promise<InspectorData>;
  /** Calls back when there is something new, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * Creates a recorder: plans go in while an agent runs, the data of a page comes out at any moment. It keeps plans and entries in memory and changes nothing.
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
  const listeners = new Set<() => void>();
  let made = 0;
  const changed = (): void => listeners.forEach((listener) => listener());
  const add = (call: PlannedCall): void => {
    made += 1;
    calls.push({ id: String(made), ...call });
    if (calls.length > most) calls.shift();
    changed();
  };
  return {
    add,
    changed,
    onPlan: (plan, given, entries) => {
      const seen = entries ?? (typeof given === "number" ? undefined : given);
      add({ plan, ...(seen && { entries: seen }) });
    },
    data: async () => {
      const plans = [...calls];
      const entries = await log?.();
      return inspectPlans({ ...drawing, plans, entries: entries ?? entriesOf(plans) });
    },
    onChange: (listener) => {
      // Each has its own place, also where one function listens twice.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

function entriesOf(calls: readonly PlannedCall[]): readonly HistoryEntry[] {
  const seen = new Map<string, HistoryEntry>();
  for (const { entries = [] } of calls)
    for (const entry of entries) if (!seen.has(entry.id)) seen.set(entry.id, entry);
  return [...seen.values()];
}
