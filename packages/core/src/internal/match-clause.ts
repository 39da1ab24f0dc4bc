import { countOption } from "../count-option.ts";
import type { PhaseId } from "../entry-base.ts";
import { HistoryError } from "../history-error.ts";
import type { HistoryQuery, LastTurns, QueryClause } from "../history-query.ts";
import type { ThreadFacts } from "./thread-facts.ts";

/** Tells whether the entry at an index meets a condition. */
export type Condition = (index: number) => boolean;

/**
 * Makes one condition of a clause: met where all of its conditions are met.
 * `attachedToShown` is not judged here, as it asks what other clauses show.
 */
export function matchClause(
  clause: QueryClause,
  facts: ThreadFacts,
  view: HistoryQuery["view"],
): Condition {
  const conditions = [
    typeCondition(clause, facts),
    turnCondition(clause, facts),
    lastTurnsCondition(clause, facts),
    phaseCondition(clause, facts),
    beforePhaseCondition(clause, facts),
    agentCondition(clause, facts),
    taskCondition(clause, facts),
    lastTaskCondition(clause, facts),
    taskGiverCondition(clause, facts),
    viewCondition(clause, facts, view),
  ].filter((condition) => condition !== undefined);
  return (index) => conditions.every((condition) => condition(index));
}

function typeCondition({ types }: QueryClause, { entries }: ThreadFacts): Condition | undefined {
  if (types === undefined) return undefined;
  const wanted = new Set<string | undefined>(types);
  return (index) => wanted.has(entries[index]?.type);
}

function turnCondition({ turn }: QueryClause, facts: ThreadFacts): Condition | undefined {
  if (turn === undefined) return undefined;
  const wanted = "id" in turn ? facts.turnOfId(turn.id) : newestTurn(facts);
  return (index) => facts.turns()[index] === wanted;
}

function newestTurn(facts: ThreadFacts): number {
  return facts.turns().reduce((newest, turn) => Math.max(newest, turn), 0);
}

function lastTurnsCondition({ lastTurns }: QueryClause, facts: ThreadFacts): Condition | undefined {
  if (lastTurns === undefined) return undefined;
  const { count, stride } = checkedLastTurns(lastTurns);
  if (count === 0) return () => false;
  const turnCount = newestTurn(facts) + 1;
  const forgotten = Math.max(0, Math.ceil((turnCount - count) / stride) * stride);
  const turns = facts.turns();
  const firstMessage = facts.entries.findIndex(
    (entry, index) => entry.type === "user_message" && (turns[index] ?? 0) >= forgotten,
  );
  return (index) => index >= firstMessage && (turns[index] ?? 0) >= forgotten;
}

function checkedLastTurns(lastTurns: LastTurns): {
  readonly count: number;
  readonly stride: number;
} {
  const count = countOption("lastTurns.count", lastTurns.count, "INVALID_QUERY");
  const stride = countOption("lastTurns.stride", lastTurns.stride ?? 1, "INVALID_QUERY");
  if (stride >= 1 && stride <= Math.max(count, 1)) return { count, stride };
  throw new HistoryError(
    `Expected \`lastTurns.stride\` to be from 1 to \`count\` (${count}), got ${stride}.`,
    { code: "INVALID_QUERY", details: { path: "lastTurns.stride" } },
  );
}

function phaseCondition({ phases }: QueryClause, facts: ThreadFacts): Condition | undefined {
  if (phases === undefined) return undefined;
  const wanted = new Set<PhaseId | undefined>(phases);
  return (index) => wanted.has(facts.phases()[index]);
}

function beforePhaseCondition(
  { beforePhase }: QueryClause,
  facts: ThreadFacts,
): Condition | undefined {
  if (beforePhase === undefined) return undefined;
  const count = countOption("beforePhase.count", beforePhase.count ?? Infinity, "INVALID_QUERY");
  const shownOfTurn = new Map<number, { readonly phases: Set<PhaseId>; readonly limit: number }>();
  return (index) => {
    const turn = facts.turns()[index] ?? 0;
    const shown = shownOfTurn.get(turn) ?? phasesBefore(turn);
    shownOfTurn.set(turn, shown);
    const phase = facts.phases()[index];
    // What bears no phase is placed by where it stands.
    if (phase === undefined) return count === Infinity && index < shown.limit;
    return shown.phases.has(phase);
  };

  function phasesBefore(turn: number): { readonly phases: Set<PhaseId>; readonly limit: number } {
    const starts = facts.phaseStarts(turn);
    const limit = (beforePhase && starts.get(beforePhase.id)) ?? Infinity;
    const earlier = [...starts].filter(([, start]) => start < limit).map(([phase]) => phase);
    return { phases: new Set(earlier.slice(Math.max(0, earlier.length - count))), limit };
  }
}

function agentCondition(
  { agent, unowned }: QueryClause,
  { entries }: ThreadFacts,
): Condition | undefined {
  if (agent === undefined && unowned === undefined) return undefined;
  return (index) => {
    const writer = entries[index]?.agent?.id;
    return (agent === undefined || writer === agent) && (!unowned || writer === undefined);
  };
}

function taskCondition({ task }: QueryClause, facts: ThreadFacts): Condition | undefined {
  if (task === undefined) return undefined;
  return (index) => isOfTask(index, task, facts);
}

function lastTaskCondition({ lastTask }: QueryClause, facts: ThreadFacts): Condition | undefined {
  if (lastTask === undefined) return undefined;
  const place = facts.lastTask(lastTask.of);
  const task = facts.entries[place];
  if (task === undefined) return () => false;
  return (index) => isOfTask(index, task.id, facts) || isNobodysAfter(index);

  // In a log that does not say who wrote what, all that follows the thread's last task was written under it.
  function isNobodysAfter(index: number): boolean {
    const entry = facts.entries[index];
    return (
      lastTask?.of === undefined &&
      index > place &&
      entry?.agent === undefined &&
      entry?.taskId === undefined
    );
  }
}

function isOfTask(index: number, taskId: string, facts: ThreadFacts): boolean {
  const entry = facts.entries[index];
  if (entry?.type === "task") return entry.id === taskId;
  return facts.taskOf()[index] === taskId;
}

function taskGiverCondition(
  { underTaskFrom }: QueryClause,
  facts: ThreadFacts,
): Condition | undefined {
  if (underTaskFrom === undefined) return undefined;
  return (index) => {
    const taskId = facts.taskOf()[index];
    return taskId !== undefined && facts.task(taskId)?.from?.id === underTaskFrom;
  };
}

function viewCondition(
  { standsInView }: QueryClause,
  { entries }: ThreadFacts,
  view: HistoryQuery["view"],
): Condition | undefined {
  if (standsInView === undefined) return undefined;
  return (index) => {
    const entry = entries[index];
    return entry?.type === "summary" && entry.view !== undefined && entry.view === view;
  };
}
