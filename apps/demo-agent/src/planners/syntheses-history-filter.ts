import { SYNTHESIS, TASK } from "@agent-history/core";
import type { FilterContext, HistoryFilter, QueryClause } from "@agent-history/core";
import { customHistoryFilter } from "@agent-history/filters";

/** Makes a filter that shows the syntheses of the phases before, in this turn, and the task they are read for. */
export function synthesesHistoryFilter(): HistoryFilter {
  return customHistoryFilter({
    name: "syntheses",
    query: (context) => ({ clauses: [earlierSyntheses(context), ownTask(context)] }),
  });
}

function earlierSyntheses(context: FilterContext): QueryClause {
  const { phaseId } = context;
  const before = phaseId === undefined ? {} : { beforePhase: { id: phaseId } };
  return { types: [SYNTHESIS], turn: currentTurn(context), ...before };
}

function ownTask(context: FilterContext): QueryClause {
  const { agentId, taskId } = context;
  const whose = agentId === undefined ? {} : { agent: agentId };
  const which =
    taskId === undefined
      ? { lastTask: agentId === undefined ? {} : { of: agentId } }
      : { task: taskId };
  return { types: [TASK], turn: currentTurn(context), ...whose, ...which };
}

function currentTurn({ turnId }: FilterContext): NonNullable<QueryClause["turn"]> {
  return turnId === undefined ? { newest: true } : { id: turnId };
}
