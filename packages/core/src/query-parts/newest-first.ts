import type { ClauseContext } from "../clause-context.ts";
import type { QueryClause } from "../history-query.ts";
import { indexOfLastTask, matchClause, numberOfTurn } from "../internal/match-clause.ts";

/**
 * Finds the entries that meet a clause, the newest first, by their indexes. Walks backward as far as the caller asks, and no further than to
 * where the clause's turn or task begins, where the facts say that.
 *
 * @param from - The index of the oldest entry that is asked for.
 */
export function* newestFirst(
  facts: ClauseContext,
  clause: QueryClause,
  from = 0,
): Generator<number, undefined> {
  const isMet = matchClause(clause, facts, undefined);
  const { least, most } = bounds(clause, facts);
  for (let index = most; index >= Math.max(from, least); index--) if (isMet(index)) yield index;
  return undefined;
}

/** The indexes between which all entries lie that may meet a clause. */
function bounds(
  { types, turn, task, lastTask, agent }: QueryClause,
  facts: ClauseContext,
): { readonly least: number; readonly most: number } {
  const { entries, places } = facts;
  const most = entries.length - 1;
  if (places === undefined) return { least: 0, most };
  const turnStart = turn && (places.firstOfTurn[numberOfTurn(turn, facts) ?? -1] ?? Infinity);
  const taskStart = task === undefined ? 0 : (places.firstOfTask.get(task) ?? Infinity);
  const last = lastTask && indexOfLastTask(lastTask, facts);
  const isTask = types?.every((type) => type === "task") === true;
  const newestTask = agent === undefined ? places.lastTask : places.lastTaskOf.get(agent);
  return {
    least: Math.max(turnStart ?? 0, taskStart, last === undefined ? 0 : startOf(last, facts)),
    most: isTask ? Math.min(most, newestTask ?? -1) : most,
  };
}

/** Where what was written under the last task begins: at the task, or at an entry before it that names it. */
function startOf(last: number, { entries, places }: ClauseContext): number {
  if (last < 0) return Infinity;
  return Math.min(last, places?.firstOfTask.get(entries[last]?.id) ?? last);
}
