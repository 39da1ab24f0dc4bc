import type { FilterContext, QueryClause } from "@agent-history/core";

import { byAgent, currentTask, currentTurn } from "../../internal/shared-clauses.ts";

/** What the agent of a context wrote for its current task in the current turn; without a task, in the current turn: the first of the clauses that anything meets. */
export function workClauses(context: FilterContext): readonly QueryClause[] {
  const inTurn = { turn: currentTurn(context), ...byAgent(context) };
  const ofTask = { ...inTurn, ...currentTask(context) };
  return context.taskId === undefined ? [ofTask, inTurn] : [ofTask];
}
