import { isHistoryError } from "@agent-history/core";
import { failSpan, meterOf, tracerOf } from "@agent-history/core/kit";
import type { Meter, MetricCounter, MetricHistogram } from "@agent-history/core/kit";

/** Counts of one call, filled in as they become known. Never content, never an id. */
export type VerbCounts = Record<`agent_history.${string}`, number | string | boolean>;

/** Spans and metrics of one kind of store. Without a provider that the application registered, none. */
export interface StoreTelemetry {
  /** Runs a verb within a span of its own, and measures it: its name, its counts, and the code of its error. */
  readonly trace: <Result>(
    verb: string,
    run: (counts: VerbCounts) => Promise<Result>,
  ) => Promise<Result>;
  /** Counts that something was done once more: a lock was held, a connection failed, or another writer came between. */
  readonly countRetry: () => void;
}

/** The count of a read that took the whole log although its query did not ask for all of it: 1, or the reason. */
const WHOLE_LOG_READS = "agent_history.whole_log_reads";

/**
 * Makes the spans and metrics of a store.
 *
 * Each verb is a span `agent_history.store.<verb>` and a value of the histogram `agent_history.store.duration`, in seconds, by the code of its error. Counters: `agent_history.store.retries`,
 * and `agent_history.store.whole_log_reads` by verb.
 *
 * @param scope - The name of the package.
 * @param system - The store's `db.system.name` of the semantic conventions.
 */
export function storeTelemetry(scope: string, system: string): StoreTelemetry {
  const attributes = { "db.system.name": system };
  let last: { readonly meter: Meter; readonly made: Instruments } | undefined;

  /** Another provider may be registered at any time. */
  function instruments(): Instruments | undefined {
    const meter = meterOf(scope);
    if (meter === undefined) return undefined;
    if (last?.meter !== meter) last = { meter, made: makeInstruments(meter) };
    return last.made;
  }

  return {
    countRetry: () => instruments()?.retries.add(1, attributes),
    trace: async (verb, run) => {
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
        instruments()?.duration.record((performance.now() - begunMs) / 1000, measured);
        if (counts[WHOLE_LOG_READS]) instruments()?.wholeLogReads.add(1, measured);
      }
    },
  };
}

interface Instruments {
  readonly duration: MetricHistogram;
  readonly retries: MetricCounter;
  readonly wholeLogReads: MetricCounter;
}

/** The boundaries that the semantic conventions recommend for calls of a database. */
const BOUNDARIES: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

function makeInstruments(meter: Meter): Instruments {
  return {
    duration: meter.createHistogram("agent_history.store.duration", {
      unit: "s",
      description: "How long a call of a verb took.",
      advice: { explicitBucketBoundaries: [...BOUNDARIES] },
    }),
    retries: meter.createCounter("agent_history.store.retries", {
      unit: "{retry}",
      description: "What was done once more for a lock, a failure or another writer.",
    }),
    wholeLogReads: meter.createCounter("agent_history.store.whole_log_reads", {
      unit: "{read}",
      description: "Reads that the index could not answer.",
    }),
  };
}
