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
 * Each verb is a span `agent_history.store.<verb>` and a value of the histogram `agent_history.store.duration`, in seconds. Counters, all of them
 * `agent_history.store.<name>`: `conflicts`, `unknown_outcomes`, `rewinds`, `whole_log_reads` by verb, and `retries`.
 *
 * @param scope - The name of the package.
 * @param system - The store's `db.system.name` of the semantic conventions.
 */
export function storeTelemetry(scope: string, system: string): StoreTelemetry {
  const attributes = { "db.system.name": system };
  const instruments = instrumentsOf(scope);
  return {
    countRetry: () => instruments()?.retries.add(1, attributes),
    trace: async (verb, run) => {
      const span = tracerOf(scope)?.startSpan(`agent_history.store.${verb}`, { attributes });
      const counts: VerbCounts = {};
      const begunMs = performance.now();
      let failure: Failure | undefined;
      try {
        return await run(counts);
      } catch (error) {
        failure = { code: isHistoryError(error) ? error.code : "unknown" };
        failSpan(span, error);
        throw error;
      } finally {
        span?.setAttributes(counts);
        span?.end();
        const measured = { ...attributes, "db.operation.name": verb };
        measure(instruments(), measured, {
          seconds: (performance.now() - begunMs) / 1000,
          failure,
          readsWholeLog: Boolean(counts[WHOLE_LOG_READS]),
        });
      }
    },
  };
}

interface Failure {
  readonly code: string;
}

interface Instruments {
  readonly duration: MetricHistogram;
  readonly retries: MetricCounter;
  readonly wholeLogReads: MetricCounter;
  /** By the code of the error that they count. */
  readonly failures: ReadonlyMap<string, MetricCounter>;
}

/** What a call came to. */
interface Outcome {
  readonly seconds: number;
  readonly failure: Failure | undefined;
  readonly readsWholeLog: boolean;
}

function measure(
  instruments: Instruments | undefined,
  attributes: Readonly<Record<string, string>>,
  { seconds, failure, readsWholeLog }: Outcome,
): void {
  if (instruments === undefined) return;
  const { duration, wholeLogReads, failures } = instruments;
  duration.record(seconds, failure ? { ...attributes, "error.type": failure.code } : attributes);
  if (readsWholeLog) wholeLogReads.add(1, attributes);
  if (failure !== undefined) failures.get(failure.code)?.add(1, attributes);
}

/** The boundaries that the semantic conventions recommend for calls of a database. */
const BOUNDARIES: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Makes instruments once for each meter: another provider may be registered at any time. */
function instrumentsOf(scope: string): () => Instruments | undefined {
  let last: { readonly meter: Meter; readonly made: Instruments } | undefined;
  return () => {
    const meter = meterOf(scope);
    if (meter === undefined) return undefined;
    if (last?.meter !== meter) last = { meter, made: makeInstruments(meter) };
    return last.made;
  };
}

function makeInstruments(meter: Meter): Instruments {
  const counter = (name: string, unit: string, description: string): MetricCounter =>
    meter.createCounter(`agent_history.store.${name}`, { unit, description });
  return {
    duration: meter.createHistogram("agent_history.store.duration", {
      unit: "s",
      description: "How long a call of a verb took.",
      advice: { explicitBucketBoundaries: [...BOUNDARIES] },
    }),
    retries: counter(
      "retries",
      "{retry}",
      "What was done once more for a lock, a failure or another writer.",
    ),
    wholeLogReads: counter("whole_log_reads", "{read}", "Reads that the index could not answer."),
    failures: new Map([
      ["VERSION_CONFLICT", counter("conflicts", "{call}", "Calls that expected another version.")],
      ["OUTCOME_UNKNOWN", counter("unknown_outcomes", "{call}", "Writes whose answer was lost.")],
      [
        "HISTORY_REWOUND",
        counter("rewinds", "{call}", "Calls that found a log behind what was seen of it."),
      ],
    ]),
  };
}
