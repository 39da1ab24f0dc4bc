import { EXECUTION_TRACE_TYPES, GLOBAL_OBSERVATION } from "@agent-history/core";
import type { FilterContext, HistoryFilter } from "@agent-history/core";

import { queryFilter } from "./internal/query-filter.ts";
import {
  byAgent,
  currentTask,
  currentTurn,
  sharedClauses,
  viewOf,
} from "./internal/shared-clauses.ts";

/**
 * Makes a worker's filter: its own task and what it did for it in this turn, and the global observations of this turn.
 *
 * A worker sees its task and its own trace (actions, observations, errors) written under that task. It never sees earlier
 * turns, other workers, or completion signals. Which task: `taskId` of the context, else the agent's last; without an
 * `agentId`, the last of the thread and what its agent, or nobody, wrote since.
 *
 * @example
 * ```ts
 * import { errorEntry, task, userMessage } from "@agent-history/core";
 * import { filterHistory, workerHistoryFilter } from "@agent-history/filters";
 *
 * const one = { id: "w1", role: "worker" } as const;
 * const two = { id: "w2", role: "worker" } as const;
 * const history = [
 *   userMessage({ id: "u1", content: "How large is it?" }),
 *   task({ id: "t1", content: "Count the files.", agent: one }),
 *   task({ id: "t2", content: "Count the lines.", agent: two }),
 *   errorEntry({ id: "e1", content: "No such folder.", agent: one, taskId: "t1" }),
 * ];
 * filterHistory(history, workerHistoryFilter({ agentId: "w1" })).map(({ id }) => id);
 * // => ["t1", "e1"]
 * ```
 */
export function workerHistoryFilter(options: FilterContext = {}): HistoryFilter {
  return queryFilter("worker", options, (context) => {
    const turn = currentTurn(context);
    return {
      clauses: [
        { types: EXECUTION_TRACE_TYPES, turn, ...byAgent(context), ...currentTask(context) },
        { types: [GLOBAL_OBSERVATION], turn },
        ...sharedClauses(context),
      ],
      ...viewOf(context),
    };
  });
}
