import { failSpan, tracerOf } from "@agent-history/core/tracing";

/** Counts of one call, filled in as they become known. Never content, never an id. */
export type Counts = Record<`agent_history.${string}`, number>;

/** Runs a verb within a span of its own: its name, its counts, and the code of its error. The span's length is its duration. */
export async function traceVerb<T>(verb: string, run: (counts: Counts) => Promise<T>): Promise<T> {
  const attributes = { "db.system.name": "redis" };
  const span = tracerOf("@agent-history/store-redis")?.startSpan(`agent_history.store.${verb}`, {
    attributes,
  });
  const counts: Counts = {};
  try {
    return await run(counts);
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span?.setAttributes(counts);
    span?.end();
  }
}
