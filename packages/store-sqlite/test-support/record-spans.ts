import { trace } from "@opentelemetry/api";
import type { Attributes, Span, SpanStatus, Tracer } from "@opentelemetry/api";
import { onTestFinished } from "vitest";

/** A recorded span. */
export interface RecordedSpan {
  readonly name: string;
  readonly attributes: Attributes;
  status?: SpanStatus;
  ended: boolean;
}

/** Registers a tracer that records its spans, for one test. */
export function recordSpans(): readonly RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const tracer: Tracer = {
    startSpan: (name: string) => {
      const recorded: RecordedSpan = { name, attributes: {}, ended: false };
      spans.push(recorded);
      return spanOf(recorded);
    },
    startActiveSpan: () => {
      throw new Error("Expected spans without a context");
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  onTestFinished(() => trace.disable());
  return spans;
}

function spanOf(recorded: RecordedSpan): Span {
  const span: Span = {
    isRecording: () => true,
    setAttributes: (attributes) => {
      Object.assign(recorded.attributes, attributes);
      return span;
    },
    setAttribute: () => span,
    setStatus: (status) => {
      recorded.status = status;
      return span;
    },
    end: () => {
      recorded.ended = true;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    recordException: () => {},
    spanContext: () => ({ traceId: "", spanId: "", traceFlags: 0 }),
  };
  return span;
}
