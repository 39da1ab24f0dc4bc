import { createNoopMeter, metrics } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";
import { onTestFinished } from "vitest";

/** A value recorded by an instrument. */
export interface RecordedValue {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Recorded values. */
export interface RecordedMetrics {
  readonly values: readonly RecordedValue[];
}

/** Registers a meter that records the values of its counters and histograms, for one test. */
export function recordMetrics(): RecordedMetrics {
  const values: RecordedValue[] = [];
  const keep =
    (name: string) =>
    (value: number, attributes: Attributes = {}): void => {
      values.push({ name: name.replace("agent_history.store.", ""), value, attributes });
    };
  const meter = Object.assign(createNoopMeter(), {
    createHistogram: (name: string) => ({ record: keep(name) }),
  });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
  onTestFinished(() => metrics.disable());
  return { values };
}
