import { isHistoryError } from "@agent-history/core";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";

/**
 * Runs one verb within a span of its own: counts and names of verbs, never ids or content. A failure leaves the error's code.
 *
 * @param countsOf - What to count of the result.
 */
export async function traceVerb<Result>(
  verb: string,
  attributes: Attributes,
  work: () => Promise<Result>,
  countsOf: (result: Result) => Attributes = () => ({}),
): Promise<Result> {
  const span = trace
    .getTracer("@agent-history/store-sqlite")
    .startSpan(`agent_history.store.${verb}`);
  span.setAttributes({ "agent_history.store.kind": "sqlite", ...attributes });
  try {
    const result = await work();
    if (span.isRecording()) span.setAttributes(countsOf(result));
    return result;
  } catch (error) {
    const message = isHistoryError(error) ? error.code : "unknown";
    span.setStatus({ code: SpanStatusCode.ERROR, message });
    throw error;
  } finally {
    span.end();
  }
}
