import { failSpan, tracerOf } from "@agent-history/core/tracing";
import type { SpanAttributes } from "@agent-history/core/tracing";

/**
 * Runs one verb within a span of its own: counts and names of verbs, never ids or content. A failure leaves the error's code.
 *
 * @param countsOf - What to count of the result.
 */
export async function traceVerb<Result>(
  verb: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
  countsOf: (result: Result) => SpanAttributes = () => ({}),
): Promise<Result> {
  const span = tracerOf("@agent-history/store-postgres")?.startSpan(`agent_history.store.${verb}`);
  span?.setAttributes({ "db.system.name": "postgresql", ...attributes });
  try {
    const result = await work();
    if (span?.isRecording() === true) span?.setAttributes(countsOf(result));
    return result;
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span?.end();
  }
}
