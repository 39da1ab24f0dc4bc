import type { HistoryEntry, PhaseId } from "./history-entry.ts";
import { HistoryError, countOption } from "./history-error.ts";
import type { BeforePhase, HistoryQuery, LastTurns, QueryClause } from "./history-query.ts";
import { isUserMessage, turnNumbering } from "./split-turns.ts";

/** Facts about each entry of a history, by index, that clauses test. */
export interface ClauseContext {
  readonly entries: readonly HistoryEntry[];
  /** The number of its turn. */
  readonly turns: readonly number[];
  readonly newestTurn: number;
  /** Turn numbers by turn id. */
  readonly turnOfId: ReadonlyMap<string | undefined, number>;
  /** Index of the task that it was written under: by `taskId`, else (except for a task) the last task of its agent before it. */
  readonly taskOf: readonly (number | undefined)[];
  /** Its phase: its own, else that of its task in the same turn. */
  readonly phases: readonly (PhaseId | undefined)[];
  /** Index of the last task of each agent, by agent id. */
  readonly lastTaskOf: ReadonlyMap<string | undefined, number>;
  /** Index of the last task; -1 without one. */
  readonly lastTask: number;
}

/** Computes the facts of a history. Linear. */
export function clauseContext(entries: readonly HistoryEntry[]): ClauseContext {
  const hasUserMessages = entries.some(isUserMessage);
  const { numberOf, numbers } = turnNumbering(hasUserMessages ? isUserMessage : undefined);
  const turns = entries.map((entry) => numberOf(entry));
  const taskOf: (number | undefined)[] = [];
  const phases: (PhaseId | undefined)[] = [];
  const taskIndexes = new Map<string, number>();
  const lastTaskOf = new Map<string | undefined, number>();
  let lastTask = -1;
  for (const [index, { type, id, taskId, agent, phaseId }] of entries.entries()) {
    const isTask = type === "task";
    const agentId = agent?.id;
    let task = taskId === undefined ? undefined : taskIndexes.get(taskId);
    if (taskId === undefined && !isTask) task = lastTaskOf.get(agentId);
    const given = task !== undefined && turns[task] === turns[index] ? entries[task] : undefined;
    taskOf.push(task);
    phases.push(phaseId ?? given?.phaseId);
    if (!isTask) continue;
    lastTaskOf.set(agentId, index);
    taskIndexes.set(id, index);
    lastTask = index;
  }
  const newestTurn = turns.reduce((newest, turn) => Math.max(newest, turn), 0);
  return { entries, turns, newestTurn, turnOfId: numbers, taskOf, phases, lastTaskOf, lastTask };
}

/** Returns whether the entry at an index meets a condition. */
export type Condition = (index: number) => boolean;

/**
 * Compiles a clause into one test that is met if all of its conditions are.
 * `attachedToShown` is not tested here, because it depends on other clauses.
 */
export function matchClause(
  clause: QueryClause,
  context: ClauseContext,
  view: HistoryQuery["view"],
): Condition {
  const { types, turn, lastTurns, phases, beforePhase, agent, unowned, lastTask } = clause;
  const { entries, turns, taskOf } = context;
  const turnNumber = turn && ("id" in turn ? context.turnOfId.get(turn.id) : context.newestTurn);
  const isInLastTurns = lastTurns && lastTurnsCondition(lastTurns, context);
  const isBeforePhase = beforePhase && beforePhaseCondition(beforePhase, context);
  const ids = clause.ids && new Set(clause.ids);
  const ofAgent = lastTask?.of;
  const lastIndex =
    lastTask &&
    (ofAgent === undefined ? context.lastTask : (context.lastTaskOf.get(ofAgent) ?? -1));
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
      ofAgent === undefined &&
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
      (phases === undefined || phases.some((phase) => phase === context.phases[index])) &&
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

function lastTurnsCondition(lastTurns: LastTurns, context: ClauseContext): Condition {
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
  const { entries, turns, newestTurn } = context;
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
