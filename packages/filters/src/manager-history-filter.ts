import {
  COORDINATION_TYPES,
  FINAL,
  HistoryError,
  SUMMARY,
  SYNTHESIS,
  TASK,
} from "@agent-history/core";
import type { FilterContext, HistoryFilter, PhaseId, QueryClause } from "@agent-history/core";

import {
  byAgent,
  currentTask,
  currentTurn,
  sharedClauses,
  queryFilter,
} from "./internal/query-filter.ts";

/** Options of {@link managerHistoryFilter}. */
export interface ManagerHistoryFilterOptions extends FilterContext {
  /**
   * Which syntheses are shown: those of all phases that began before the current one, of the previous phase, or of the
   * named phases. `previousPhaseId`, if given, names the only phase. Default `all`.
   */
  readonly earlierPhases?: "all" | "previous" | readonly PhaseId[] | undefined;
}

/**
 * Creates a manager's filter: the syntheses of earlier phases in this turn and, if the context names the
 * agent, its own task, its coordination entries and the `final`s of the tasks that it gave in this phase.
 *
 * Pass the `taskId` of a manager that works on several phases at once. The filter never shows the conversation, raw traces, other phases'
 * completion signals, or earlier turns. Phases are ordered by their first entries, so their ids can be numbers or text. Without a `phaseId`,
 * every synthesis of this turn counts as earlier.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `earlierPhases` is not one of its values.
 *
 * @example
 * ```ts
 * import { synthesis, userMessage } from "@agent-history/core";
 * import { filterHistory, managerHistoryFilter } from "@agent-history/filters";
 *
 * const history = [
 *   userMessage({ id: "u1", content: "Compare the two." }),
 *   synthesis({ id: "s1", phaseId: "collect", content: "Both were read." }),
 *   synthesis({ id: "s2", phaseId: "compare", content: "They differ." }),
 * ];
 * filterHistory(history, managerHistoryFilter(), { phaseId: "compare" }).map(({ id }) => id);
 * // => ["s1"]
 * ```
 */
export function managerHistoryFilter(options: ManagerHistoryFilterOptions = {}): HistoryFilter {
  const { earlierPhases = "all" } = options;
  if (typeof earlierPhases === "string" && !["all", "previous"].includes(earlierPhases)) {
    throw new HistoryError(
      "Expected `earlierPhases` to be `all`, `previous` or a list of phases.",
      {
        code: "INVALID_OPTION",
        details: { option: "earlierPhases" },
      },
    );
  }
  return queryFilter("manager", options, (context) => {
    return {
      clauses: [
        {
          types: [SYNTHESIS],
          turn: currentTurn(context),
          ...phasesSeen(context, earlierPhases),
        },
        ...(context.agentId === undefined ? [] : ownClauses(context, context.agentId)),
        ...sharedClauses(context),
      ],
    };
  });
}

function phasesSeen(
  { phaseId, previousPhaseId }: FilterContext,
  earlierPhases: "all" | "previous" | readonly PhaseId[],
): QueryClause {
  if (previousPhaseId !== undefined) return { phases: [previousPhaseId] };
  if (typeof earlierPhases !== "string") return { phases: earlierPhases };
  if (phaseId === undefined) return {};
  return { beforePhase: { id: phaseId, count: earlierPhases === "all" ? Infinity : 1 } };
}

function ownClauses(context: FilterContext, agentId: string): readonly QueryClause[] {
  const turn = currentTurn(context);
  const agent = byAgent(context);
  const phases = context.phaseId === undefined ? {} : { phases: [context.phaseId] };
  const scope = context.taskId === undefined ? phases : { task: context.taskId };
  return [
    { types: [TASK], turn, ...agent, ...currentTask(context) },
    { types: [...COORDINATION_TYPES, SUMMARY], turn, ...agent, ...scope },
    { types: [FINAL], turn, underTaskFrom: agentId, ...phases },
  ];
}
