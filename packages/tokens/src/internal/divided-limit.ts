import type { CountLimit } from "@agent-history/core";

/**
 * Returns the limit of a counter whose counts are multiplied by `factor` and rounded up: what passes it there, passes
 * `limit` here. Without a limit there is none, so that counters which know of no limits are called as they were.
 */
export function dividedLimit(
  limit: CountLimit | undefined,
  factor: number,
): CountLimit | undefined {
  const { atMost = Infinity } = limit ?? {};
  return atMost === Infinity ? undefined : { atMost: Math.ceil(atMost / factor) };
}
