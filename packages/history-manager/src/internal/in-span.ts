import { failSpan, tracerOf } from "@agent-history/core/kit";
import type { TraceSpan } from "@agent-history/core/kit";

/** Runs work in a span; attributes are counts and codes, never content. */
export async function inSpan<Result>(
  name: string,
  work: (span: TraceSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const tracer = tracerOf("@agent-history/history-manager");
  if (tracer === undefined) return work(undefined);
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}
