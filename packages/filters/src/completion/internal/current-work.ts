import type { FilterContext, HistoryEntry } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";

import { workClauses } from "./work-clauses.ts";

/** What the agent of a context wrote for its current task in the current turn; without a task, in the current turn. */
export function currentWork(
  entries: readonly HistoryEntry[],
  context: FilterContext,
): readonly HistoryEntry[] {
  for (const clause of workClauses(context)) {
    const work = selectEntries(entries, { clauses: [clause], splitExchanges: true });
    if (work.length > 0) return work;
  }
  return [];
}
