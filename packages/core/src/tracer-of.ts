import { isHistoryError } from "./history-error.ts";

/** Attributes of a span: counts and names, never content. */
type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** The part of OpenTelemetry's span that is used. */
export interface TraceSpan {
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's tracer that is used. */
interface Tracer {
  startSpan(name: string, options?: { readonly attributes?: SpanAttributes }): TraceSpan;
  startActiveSpan<Result>(name: string, work: (span: TraceSpan) => Result): Result;
}

/** The part of OpenTelemetry's histogram that is used. */
export interface MetricHistogram {
  record(value: number, attributes?: SpanAttributes): void;
}

/** The part of OpenTelemetry's meter that is used. `unit` is a UCUM unit, as the semantic conventions require. */
export interface Meter {
  createHistogram(
    name: string,
    options: {
      readonly description: string;
      readonly unit: string;
      readonly advice?: { readonly explicitBucketBoundaries: number[] };
    },
  ): MetricHistogram;
}

/** The global under which all copies of `@opentelemetry/api` 1.x share their registrations. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/**
 * Returns the tracer of a package, from the tracer provider that the application registered with `@opentelemetry/api`; `undefined` without
 * one. The API is not imported, because loading it takes longer than the rest of a package; an application that traces has
 * loaded it.
 *
 * @param scope - The name of the package.
 */
export function tracerOf(scope: string): Tracer | undefined {
  return registered()?.trace?.getTracer(scope);
}

/**
 * Returns the meter of a package, in the same way. An SDK returns the same one for the same name.
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
