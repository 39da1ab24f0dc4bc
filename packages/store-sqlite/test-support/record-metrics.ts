import { createNoopMeter, metrics } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";
import { onTestFinished } from "vitest";

/** A value that an instrument was given. */
export interface RecordedValue {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Values that were recorded, and what they come to. */
export interface RecordedMetrics {
  readonly values: readonly RecordedValue[];
  /** The sum of a counter, by its name within `agent_history.store.`. */
  readonly sum: (name: string) => number;
}

/** Registers a meter that keeps what its counters and histograms are given, for one test. */
export function recordMetrics(): RecordedMetrics {
  const values: RecordedValue[] = [];
  const keep =
    (name: string) =>
    (value: number, attributes: Attributes = {}): void => {
      values.push({ name: name.replace("agent_history.store.", ""), value, attributes });
    };
  const meter = Object.assign(createNoopMeter(), {
    createCounter: (name: string) => ({ add: keep(name) }),
    createHistogram: (name: string) => ({ record: keep(name) }),
  });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
  onTestFinished(() => metrics.disable());
  return {
    values,
    sum: (name) => values.reduce((sum, one) => (one.name === name ? sum + one.value : sum), 0),
  };
}
