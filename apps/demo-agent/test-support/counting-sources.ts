import type { EntrySources } from "@agent-history/core";

/** Ids and times that are the same in every run. */
export function countingSources(): EntrySources {
  let ids = 0;
  let now = 1_700_000_000_000;
  return { newId: () => `e${(ids += 1)}`, now: () => (now += 1_000) };
}
