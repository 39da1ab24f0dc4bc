import type { Decision } from "@agent-history/core";

/** Counts the entries at the beginning of a history that two plans of it decide alike upon, run by run. */
export function sharedEntries(one: readonly Decision[], other: readonly Decision[]): number {
  const end = one.findIndex((run, nth) => JSON.stringify(run) !== JSON.stringify(other[nth]));
  const shared = end < 0 ? one : one.slice(0, end);
  return shared.reduce((sum, { entryCount }) => sum + entryCount, 0);
}
