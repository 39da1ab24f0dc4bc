import {
  EXECUTION_TRACE_TYPES,
  FINAL,
  GLOBAL_OBSERVATION,
  HistoryError,
  SUMMARY,
  agentView,
} from "@agent-history/core";
import type { FilterContext, HistoryFilter, QueryClause } from "@agent-history/core";

import {
  byAgent,
  currentTask,
  currentTurn,
  sharedClauses,
  queryFilter,
} from "./internal/query-filter.ts";

/** Options of {@link workerHistoryFilter}. */
export interface WorkerHistoryFilterOptions extends FilterContext {
  /**
   * How far back a worker sees its own work: `task`, its current task and the trace for it; `turn`, its tasks,
   * traces and reports of this turn; `thread`, those of every turn. `turn` and `thread` need an `agentId` in the context;
   * without it, only the current task is shown. Default `task`. Compactions of the agent's view can cover any of its tasks, so they apply with
   * `thread` only; otherwise the originals are shown.
   */
  readonly memory?: WorkerMemory | undefined;
}

/** How far back a worker sees its own work. */
export type WorkerMemory = "task" | "turn" | "thread";

/**
 * Creates a worker's filter: its own task and trace in this turn, and the global observations of this turn.
 *
 * A worker sees its task and its own trace (actions, observations, errors) for that task. It never sees earlier
 * turns, other workers, or completion signals, unless `memory` includes its own. The task is the `taskId` of the context, or else
 * the agent's last task; without an `agentId`, the last task of the thread, with entries of that task's agent or of no agent.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `memory` is not one of its values.
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
export function workerHistoryFilter(options: WorkerHistoryFilterOptions = {}): HistoryFilter {
  const { memory = "task" } = options;
  if (!MEMORIES.includes(memory)) {
    throw new HistoryError(`Expected \`memory\` to be one of ${MEMORIES.join(", ")}.`, {
      code: "INVALID_OPTION",
      details: { option: "memory" },
    });
  }
  return queryFilter("worker", options, (context) => {
    const { agentId } = context;
    const turn = currentTurn(context);
    return {
      clauses: [
        ownWork(context, memory),
        { types: [GLOBAL_OBSERVATION], turn },
        { types: [SUMMARY], standsInView: true },
        ...sharedClauses(context),
      ],
      // Summaries of the agent's view can cover earlier tasks and turns (L10).
      ...(memory === "thread" && agentId !== undefined && { view: agentView(agentId) }),
    };
  });
}

const MEMORIES: readonly WorkerMemory[] = ["task", "turn", "thread"];

function ownWork(context: FilterContext, memory: WorkerMemory): QueryClause {
  const { agentId: agent } = context;
  const turn = currentTurn(context);
  if (memory === "task" || agent === undefined) {
    const types = [...EXECUTION_TRACE_TYPES, SUMMARY];
    return { types, turn, ...byAgent(context), ...currentTask(context) };
  }
  const types = [...EXECUTION_TRACE_TYPES, FINAL, SUMMARY];
  return memory === "turn" ? { types, turn, agent } : { types, agent };
}
