import { isHistoryError } from "./history-error.ts";

/** Attributes of a span: counts and names, never content. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** What is used of a span of OpenTelemetry. */
export interface TraceSpan {
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** What is used of a tracer of OpenTelemetry. */
export interface Tracer {
  startSpan(name: string, options?: { readonly attributes?: SpanAttributes }): TraceSpan;
  startActiveSpan<Result>(name: string, work: (span: TraceSpan) => Result): Result;
}

/** What is used of an instrument of OpenTelemetry that counts. */
export interface MetricCounter {
  add(count: number, attributes?: SpanAttributes): void;
}

/** What is used of an instrument of OpenTelemetry that measures. */
export interface MetricHistogram {
  record(value: number, attributes?: SpanAttributes): void;
}

/** What an instrument is made with. `unit` is one of UCUM, as the semantic conventions want it. */
export interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/** What is used of a meter of OpenTelemetry. */
export interface Meter {
  createCounter(name: string, options: InstrumentOptions): MetricCounter;
  createHistogram(name: string, options: InstrumentOptions): MetricHistogram;
}

/** Where every copy of `@opentelemetry/api` 1.x finds what an application has registered with one of them. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/**
 * Gives the tracer of a package. It belongs to the tracer provider that the application has registered by `@opentelemetry/api`; without
 * one there is none. The API itself is not imported, since that takes longer than the rest of a package: whoever traces has
 * loaded it.
 *
 * @param scope - The name of the package.
 */
export function tracerOf(scope: string): Tracer | undefined {
  return registered()?.trace?.getTracer(scope);
}

/**
 * Gives the meter of a package, in the same way. An SDK gives the same one for the same name.
 *
 * @param scope - The name of the package.
 */
export function meterOf(scope: string): Meter | undefined {
  return registered()?.metrics?.getMeter(scope);
}

function registered(): Registered | undefined {
  return Reflect.get(globalThis, REGISTERED);
}

interface Registered {
  readonly trace?: { getTracer(name: string): Tracer };
  readonly metrics?: { getMeter(name: string): Meter };
}

/** Marks a span as failed, with the code of the error and none of its text. */
export function failSpan(span: TraceSpan | undefined, error: unknown): void {
  span?.setStatus({ code: ERROR, message: isHistoryError(error) ? error.code : "unknown" });
}
