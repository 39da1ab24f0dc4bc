import { storeTelemetry } from "@agent-history/store-kit/indexed";
import type { VerbCounts } from "@agent-history/store-kit/indexed";

const telemetry = storeTelemetry("@agent-history/store-redis", "redis");

/** Runs a verb within a span of its own, and measures it. */
export function traceVerb<Result>(
  verb: string,
  run: (counts: VerbCounts) => Promise<Result>,
): Promise<Result> {
  return telemetry.trace(verb, run);
}

/** Counts that a command was sent once more, or a write worked out once more. */
export function countRetry(): void {
  telemetry.countRetry();
}
