import { SYNTHESIS, TASK } from "@agent-history/core";
import type { FilterContext, HistoryEntry, QueryClause } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";

import { byAgent, currentTask, currentTurn } from "../../internal/query-filter.ts";

/** Returns what the context's agent wrote for its current task in the current turn; without a task, everything it wrote in that turn. Linear. */
export function currentWork(
  entries: readonly HistoryEntry[],
  context: FilterContext,
): readonly HistoryEntry[] {
  const inTurn = { turn: currentTurn(context), ...byAgent(context) };
  const ofTask = { ...inTurn, ...currentTask(context) };
  const work = select(entries, ofTask);
  return work.length > 0 || context.taskId !== undefined ? work : select(entries, inTurn);
}

/**
 * Returns the newest entries of the current work, newest first; for a manager, including syntheses without an agent: those of its phase and
 * the current turn, written for its task or after it.
 */
export function newestWork(
  entries: readonly HistoryEntry[],
  context: FilterContext,
  depth: number,
): readonly HistoryEntry[] {
  const own = currentWork(entries, context);
  const role = context.role ?? own.findLast(({ agent }) => agent !== undefined)?.agent?.role;
  const isNamedManager = context.agentId !== undefined && role === "manager";
  const work = isNamedManager ? withUnsigned(entries, own, context) : own;
  return work.slice(Math.max(0, work.length - depth)).toReversed();
}

function withUnsigned(
  entries: readonly HistoryEntry[],
  own: readonly HistoryEntry[],
  context: FilterContext,
): readonly HistoryEntry[] {
  const task = own.findLast(({ type }) => type === TASK);
  const phaseId = context.phaseId ?? task?.phaseId;
  const unsigned = select(entries, {
    types: [SYNTHESIS],
    turn: currentTurn(context),
    unowned: true,
    ...(phaseId !== undefined && { phases: [phaseId] }),
  });
  const taskIndex = task === undefined ? -1 : entries.indexOf(task);
  const ends = new Set<HistoryEntry>(own);
  for (const synthesis of unsigned) {
    const namesTask = synthesis.taskId !== undefined && task !== undefined;
    const isAfter =
      entries.indexOf(synthesis) >= taskIndex &&
      (phaseId !== undefined || synthesis.phaseId === undefined);
    if (namesTask ? synthesis.taskId === task.id : isAfter) ends.add(synthesis);
  }
  return entries.filter((entry) => ends.has(entry));
}

function select(entries: readonly HistoryEntry[], clause: QueryClause): readonly HistoryEntry[] {
  return selectEntries(entries, { clauses: [clause] });
}
