import type { FilterContext, HistoryEntry } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";

import { byAgent, currentTask, currentTurn } from "../../internal/shared-clauses.ts";

/** What the agent of a context wrote for its current task in the current turn; without a task, in the current turn. */
export function currentWork(
  entries: readonly HistoryEntry[],
  context: FilterContext,
): readonly HistoryEntry[] {
  const turn = currentTurn(context);
  const agent = byAgent(context);
  const ofTask = selectEntries(entries, {
    clauses: [{ turn, ...agent, ...currentTask(context) }],
    splitExchanges: true,
  });
  if (ofTask.length > 0 || context.taskId !== undefined) return ofTask;
  return selectEntries(entries, { clauses: [{ turn, ...agent }], splitExchanges: true });
}
