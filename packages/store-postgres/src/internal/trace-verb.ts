import type { SpanAttributes } from "@agent-history/core/kit";
import { storeTelemetry } from "@agent-history/store-kit/indexed";

const telemetry = storeTelemetry("@agent-history/store-postgres", "postgresql");

/**
 * Runs one verb within a span of its own, and measures it: counts and names of verbs, never ids or content.
 *
 * @param countsOf - What to count of the result.
 */
export async function traceVerb<Result>(
  verb: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
  countsOf: (result: Result) => SpanAttributes = () => ({}),
): Promise<Result> {
  return telemetry.trace(verb, async (counts) => {
    Object.assign(counts, attributes);
    const result = await work();
    Object.assign(counts, countsOf(result));
    return result;
  });
}

/** Counts that something was done once more, after a failure that passes or because another writer came between. */
export function countRetry(): void {
  telemetry.countRetry();
}
