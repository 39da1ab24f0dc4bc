import { isHistoryError } from "@agent-history/core";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";

/** Counts of one call, filled in as they become known. Never content, never an id. */
export type Counts = Record<`agent_history.${string}`, number>;

/** Runs a verb within a span of its own: its name, its counts, and the code of its error. The span's length is its duration. */
export async function traceVerb<T>(verb: string, run: (counts: Counts) => Promise<T>): Promise<T> {
  const attributes: Attributes = { "db.system.name": "redis" };
  const span = trace
    .getTracer("@agent-history/store-redis")
    .startSpan(`agent_history.store.${verb}`, { attributes });
  const counts: Counts = {};
  try {
    return await run(counts);
  } catch (error) {
    const message = isHistoryError(error) ? error.code : "unknown";
    span.setStatus({ code: SpanStatusCode.ERROR, message });
    throw error;
  } finally {
    span.setAttributes(counts);
    span.end();
  }
}
