import type { ClauseContext } from "../clause-context.ts";
import { countOption } from "../count-option.ts";
import type { PhaseId } from "../entry-base.ts";
import { findLastTask } from "../find-last-task.ts";
import { HistoryError } from "../history-error.ts";
import type { BeforePhase, HistoryQuery, LastTurns, QueryClause } from "../history-query.ts";

/** Returns whether the entry at an index meets a condition. */
export type Condition = (index: number) => boolean;

/**
 * Compiles a clause into one test that is met if all of its conditions are.
 * `attachedToShown` is not tested here, because it depends on other clauses.
 */
export function matchClause(
  clause: QueryClause,
  facts: ClauseContext,
  view: HistoryQuery["view"],
): Condition {
  const { types, turn, lastTurns, phases, beforePhase, agent, unowned, lastTask } = clause;
  const { entries, turns, taskOf } = facts;
  const turnNumber = turn && numberOfTurn(turn, facts);
  const isInLastTurns = lastTurns && lastTurnsCondition(lastTurns, facts);
  const isBeforePhase = beforePhase && beforePhaseCondition(beforePhase, facts);
  const ids = clause.ids && new Set(clause.ids);
  const lastIndex = lastTask && indexOfLastTask(lastTask, facts);
  const askedIndex = entries.findIndex(({ type, id }) => type === "task" && id === clause.task);

  return (index) => {
    const entry = entries[index];
    // Most clauses show few types.
    if (entry === undefined || types?.includes(entry.type) === false) return false;
    const writer = entry.agent?.id;
    const task = entries[taskOf[index] ?? -1];
    const isTask = entry.type === "task";
    const taskId = isTask ? entry.id : (entry.taskId ?? task?.id);
    // Plain objects may have no id: identify such a task by its index.
    const isUnder =
      taskId === undefined
        ? (isTask ? index : taskOf[index]) === lastIndex
        : taskId === entries[lastIndex ?? -1]?.id;
    // In a log without agents, everything after the thread's last task was written under it.
    const isNobodys =
      lastTask?.of === undefined &&
      index > (lastIndex ?? 0) &&
      writer === undefined &&
      entry.taskId === undefined;
    return (
      ids?.has(entry.id) !== false &&
      (agent === undefined || writer === agent) &&
      (clause.role === undefined || entry.agent?.role === clause.role) &&
      (unowned === undefined || writer === undefined) &&
      (clause.standsInView === undefined ||
        (entry.type === "summary" && entry.view !== undefined && entry.view === view)) &&
      (turn === undefined || turns[index] === turnNumber) &&
      (phases === undefined || phases.some((phase) => phase === facts.phases[index])) &&
      (clause.task === undefined || (taskId === clause.task && index >= askedIndex)) &&
      (lastIndex === undefined ||
        (lastIndex >= 0 && index >= lastIndex && (isUnder || isNobodys))) &&
      (clause.underTaskFrom === undefined ||
        (task?.type === "task" && task.from?.id === clause.underTaskFrom)) &&
      (clause.underTaskFromRole === undefined ||
        (task?.type === "task" && task.from?.role === clause.underTaskFromRole)) &&
      isInLastTurns?.(index) !== false &&
      isBeforePhase?.(index) !== false
    );
  };
}

/** Returns the number of the turn that a clause names, if there is one. */
function numberOfTurn(
  turn: NonNullable<QueryClause["turn"]>,
  { entries, turns, newestTurn, places }: ClauseContext,
): number | undefined {
  if (!("id" in turn)) return newestTurn;
  if (places !== undefined) return places.numbers.get(turn.id);
  return turns[entries.findIndex(({ turnId }) => turnId === turn.id)];
}

/** Returns the index of the last task that a clause names; -1 if there is none. */
function indexOfLastTask(
  { of }: NonNullable<QueryClause["lastTask"]>,
  { entries, places }: ClauseContext,
): number {
  if (places === undefined) return findLastTask(entries, of);
  return (of === undefined ? places.lastTask : places.lastTaskOf.get(of)) ?? -1;
}

function lastTurnsCondition(lastTurns: LastTurns, facts: ClauseContext): Condition {
  const count = countOption("lastTurns.count", lastTurns.count, "INVALID_QUERY");
  const stride = countOption("lastTurns.stride", lastTurns.stride ?? 1, "INVALID_QUERY");
  if (stride < 1 || stride > Math.max(count, 1)) {
    throw new HistoryError(
      `Expected \`lastTurns.stride\` to be an integer from 1 to ${count}; got ${stride}.`,
      {
        code: "INVALID_QUERY",
        details: { option: "lastTurns.stride" },
      },
    );
  }
  const { entries, turns, newestTurn } = facts;
  const excess = count === 0 ? Infinity : Math.ceil((newestTurn + 1 - count) / stride) * stride;
  const isShown = (index: number): boolean => (turns[index] ?? 0) >= excess;
  const start = entries.findIndex(({ type }, index) => type === "user_message" && isShown(index));
  return (index) => index >= start && isShown(index);
}

function beforePhaseCondition(before: BeforePhase, { turns, phases }: ClauseContext): Condition {
  const count = countOption("beforePhase.count", before.count ?? Infinity, "INVALID_QUERY");
  const begun = new Map<number | undefined, Map<PhaseId, Start>>();
  for (const [index, phase] of phases.entries()) {
    const ofTurn = begun.get(turns[index]) ?? new Map<PhaseId, Start>();
    begun.set(turns[index], ofTurn);
    if (phase !== undefined && !ofTurn.has(phase)) ofTurn.set(phase, { index, nth: ofTurn.size });
  }
  return (index) => {
    const phase = phases[index];
    const ofTurn = begun.get(turns[index]);
    const limit = ofTurn?.get(before.id) ?? { index: Infinity, nth: ofTurn?.size ?? 0 };
    // Entries without a phase are placed by position.
    if (phase === undefined) return count === Infinity && index < limit.index;
    const distance = limit.nth - (ofTurn?.get(phase)?.nth ?? 0);
    return distance > 0 && distance <= count;
  };
}

/** Index where a phase of a turn began, and the number of phases before it. */
interface Start {
  readonly index: number;
  readonly nth: number;
}
