import { repairHistory } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

type Repaired = ReturnType<typeof repairHistory>;

/** Repairs a history where and as it was repaired when it was planned. What was valid then is not looked at. */
export function repairAsPlanned(
  given: readonly HistoryEntry[],
  { repairs, repairedFrom }: ReductionPlan,
): Repaired {
  return repairs.length === 0 ? { entries: given, repairs } : repairFrom(given, repairedFrom);
}

/** Repairs the end of a history. What lies before is not looked at. */
export function repairFrom(given: readonly HistoryEntry[], from: number): Repaired {
  const { entries: end, repairs } = repairHistory(given.slice(from));
  return { entries: repairs.length === 0 ? given : given.slice(0, from).concat(end), repairs };
}

/** Finds the newest entry that was not repaired away. */
export function newestOf(
  given: readonly HistoryEntry[],
  entries: readonly HistoryEntry[],
  repairedFrom: number,
): HistoryEntry | undefined {
  if (entries === given) return entries.at(-1);
  const byId = new Map(entries.slice(repairedFrom).map((entry) => [entry.id, entry]));
  const seen = new Set<string>();
  let newest: HistoryEntry | undefined;
  for (const { id } of given.slice(repairedFrom)) {
    // Of what is there twice the first one stays.
    if (!seen.has(id)) newest = byId.get(id) ?? newest;
    seen.add(id);
  }
  return newest;
}
