import { isHistoryError } from "@agent-history/core";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { Span } from "@opentelemetry/api";

/** Does work within a span of its own: counts and codes, never content. */
export async function inSpan<Result>(
  name: string,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const tracer = trace.getTracer("@agent-history/history-manager");
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      const message = isHistoryError(error) ? error.code : "unknown";
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
}
