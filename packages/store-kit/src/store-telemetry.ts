import { isHistoryError } from "@agent-history/core";
import { failSpan, meterOf, tracerOf } from "@agent-history/core/kit";
import type { Meter, MetricHistogram } from "@agent-history/core/kit";

/** Counts of one call, filled in as they become known. Never content, never an id. */
export type VerbCounts = Record<`agent_history.${string}`, number | string | boolean>;

/** Runs a verb within a span of its own, and measures it. */
export type Trace = <Result>(
  verb: string,
  run: (counts: VerbCounts) => Promise<Result>,
) => Promise<Result>;

/** The boundaries that the semantic conventions recommend for calls of a database. */
const BOUNDARIES: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/**
 * Makes the spans and metrics of a store. Without a provider that the application registered, none.
 *
 * Each verb is a span `agent_history.store.<verb>` with its counts, and a value of the histogram `agent_history.store.duration`, in seconds, by the code of its error.
 *
 * @param scope - The name of the package.
 * @param system - The store's `db.system.name` of the semantic conventions.
 */
export function storeTelemetry(scope: string, system: string): Trace {
  const attributes = { "db.system.name": system };
  let last: { readonly meter: Meter; readonly duration: MetricHistogram } | undefined;

  /** Another provider may be registered at any time. */
  function durationOf(): MetricHistogram | undefined {
    const meter = meterOf(scope);
    if (meter === undefined || last?.meter === meter) return meter && last?.duration;
    const duration = meter.createHistogram("agent_history.store.duration", {
      unit: "s",
      description: "How long a call of a verb took.",
      advice: { explicitBucketBoundaries: [...BOUNDARIES] },
    });
    last = { meter, duration };
    return duration;
  }

  return async (verb, run) => {
    const span = tracerOf(scope)?.startSpan(`agent_history.store.${verb}`, { attributes });
    const counts: VerbCounts = {};
    const begunMs = performance.now();
    const measured: Record<string, string> = { ...attributes, "db.operation.name": verb };
    try {
      return await run(counts);
    } catch (error) {
      measured["error.type"] = isHistoryError(error) ? error.code : "unknown";
      failSpan(span, error);
      throw error;
    } finally {
      span?.setAttributes(counts);
      span?.end();
      durationOf()?.record((performance.now() - begunMs) / 1000, measured);
    }
  };
}
