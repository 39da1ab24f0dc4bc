import type { EntrySources } from "@agent-history/core";

/** Returns ids that count up and a clock that stands still. */
export function countedSources(): EntrySources {
  let count = 0;
  return {
    newId: () => {
      count += 1;
      return `entry-${count}`;
    },
    now: () => 0,
  };
}
