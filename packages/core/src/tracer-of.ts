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
  const api: { readonly trace?: { getTracer(name: string): Tracer } } | undefined = Reflect.get(
    globalThis,
    REGISTERED,
  );
  return api?.trace?.getTracer(scope);
}

/** Marks a span as failed, with the code of the error and none of its text. */
export function failSpan(span: TraceSpan | undefined, error: unknown): void {
  span?.setStatus({ code: ERROR, message: isHistoryError(error) ? error.code : "unknown" });
}
