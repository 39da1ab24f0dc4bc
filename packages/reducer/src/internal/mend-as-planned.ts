import { mendHistory } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

type Mended = ReturnType<typeof mendHistory>;

/** Mends a history where and as it was mended when it was planned. What was sound then is not looked at. */
export function mendAsPlanned(
  given: readonly HistoryEntry[],
  { repairs, mendedFrom }: ReductionPlan,
): Mended {
  return repairs.length === 0 ? { entries: given, repairs } : mendFrom(given, mendedFrom);
}

/** Mends the end of a history. What lies before is not looked at. */
export function mendFrom(given: readonly HistoryEntry[], from: number): Mended {
  const { entries: end, repairs } = mendHistory(given.slice(from));
  return { entries: repairs.length === 0 ? given : given.slice(0, from).concat(end), repairs };
}

/** Finds the newest entry that was not mended away. */
export function newestOf(
  given: readonly HistoryEntry[],
  entries: readonly HistoryEntry[],
  mendedFrom: number,
): HistoryEntry | undefined {
  if (entries === given) return entries.at(-1);
  const byId = new Map(entries.slice(mendedFrom).map((entry) => [entry.id, entry]));
  const seen = new Set<string>();
  let newest: HistoryEntry | undefined;
  for (const { id } of given.slice(mendedFrom)) {
    // Of what is there twice the first one stays.
    if (!seen.has(id)) newest = byId.get(id) ?? newest;
    seen.add(id);
  }
  return newest;
}
