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
