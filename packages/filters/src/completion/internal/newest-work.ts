import { SYNTHESIS, TASK } from "@agent-history/core";
import type { FilterContext, HistoryEntry, QueryClause } from "@agent-history/core";
import { knownContext, newestFirst } from "@agent-history/core/query-parts";
import type { ClauseContext } from "@agent-history/core/query-parts";

import { currentTurn } from "../../internal/shared-clauses.ts";
import { workClauses } from "./work-clauses.ts";

/**
 * Returns the newest entries that the agent of a context wrote for its current task in the current turn (without a task, in the current turn),
 * newest first; for a manager, with what nobody signed of its phase. Walks backward until it has enough, at most to where the turn or
 * task begins.
 */
export function newestWork(
  entries: readonly HistoryEntry[],
  context: FilterContext,
  depth: number,
): readonly HistoryEntry[] {
  const facts = knownContext(entries);
  const clauses = workClauses(context);
  const clause = clauses.find((one) => !newestFirst(facts, one).next().done) ?? clauses.at(-1);
  if (clause === undefined) return [];
  const work = take(newestFirst(facts, clause), depth);
  const writer = work.find((index) => entries[index]?.agent !== undefined) ?? -1;
  const role = context.role ?? entries[writer]?.agent?.role;
  const isNamedManager = context.agentId !== undefined && role === "manager";
  // No further back than the work goes, where that is enough.
  const from = work.length < depth ? 0 : work.at(-1);
  const unsigned = isNamedManager ? unsignedSyntheses(entries, facts, clause, context, from) : [];
  const both = new Set([...work, ...take(unsigned, depth)]);
  const newest = [...both].toSorted((one, other) => other - one).slice(0, depth);
  return newest.flatMap((index) => entries[index] ?? []);
}

/**
 * The syntheses that nobody signed and that end the work of a manager, newest first: of its phase and the current turn, written under its
 * task or after it.
 *
 * @param clause - Met by what the manager itself wrote for its task, the task included.
 * @param from - The index of the oldest entry that is asked for.
 */
function* unsignedSyntheses(
  entries: readonly HistoryEntry[],
  facts: ClauseContext,
  clause: QueryClause,
  context: FilterContext,
  from: number | undefined,
): Generator<number> {
  const [taskIndex = -1] = take(newestFirst(facts, { ...clause, types: [TASK] }), 1);
  const task = entries[taskIndex];
  const phaseId = context.phaseId ?? task?.phaseId;
  const unsigned: QueryClause = {
    types: [SYNTHESIS],
    turn: currentTurn(context),
    unowned: true,
    ...(phaseId === undefined ? {} : { phases: [phaseId] }),
  };
  for (const index of newestFirst(facts, unsigned, from)) {
    const synthesis = entries[index];
    const isUnder = synthesis?.taskId === task?.id;
    const isAfter =
      index >= taskIndex && (phaseId !== undefined || synthesis?.phaseId === undefined);
    const namesTask = synthesis?.taskId !== undefined && task !== undefined;
    if (namesTask ? isUnder : isAfter) yield index;
  }
}

function take(indexes: Iterable<number>, count: number): readonly number[] {
  const taken: number[] = [];
  if (count === 0) return taken;
  for (const index of indexes) {
    taken.push(index);
    if (taken.length === count) break;
  }
  return taken;
}
