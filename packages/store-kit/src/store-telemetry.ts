import { isHistoryError } from "@agent-history/core";
import { failSpan, meterOf, tracerOf } from "@agent-history/core/kit";
import type { Meter, MetricHistogram } from "@agent-history/core/kit";

/** Counts of one call, filled in as they become known. Never contains content or ids. */
export type VerbCounts = Record<`agent_history.${string}`, number | string | boolean>;

/** Runs a store method in its own span and records its duration. */
export type Trace = <Result>(
  verb: string,
  run: (counts: VerbCounts) => Promise<Result>,
) => Promise<Result>;

/** Histogram boundaries that the semantic conventions recommend for database calls. */
const BOUNDARIES: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/**
 * Makes the spans and metrics of a store. Records nothing unless the application registers a provider.
 *
 * Each call is a span `agent_history.store.<verb>` with its counts, and a value of the histogram `agent_history.store.duration`, in seconds, labeled with its error code.
 *
 * @param scope - The package name.
 * @param system - The store's `db.system.name` of the semantic conventions.
 */
export function storeTelemetry(scope: string, system: string): Trace {
  const attributes = { "db.system.name": system };
  let last: { readonly meter: Meter; readonly duration: MetricHistogram } | undefined;

  /** Looked up at each call, as the application may register another provider at any time. */
  function durationOf(): MetricHistogram | undefined {
    const meter = meterOf(scope);
    if (meter === undefined || last?.meter === meter) return meter && last?.duration;
    const duration = meter.createHistogram("agent_history.store.duration", {
      unit: "s",
      description: "Duration of a store operation.",
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
