import type { HistoryQuery, QueryClause } from "@agent-history/core";

import { laneOfType } from "./log-state.ts";

/** A row lane that is read backward from the end: `a` is all rows. */
export type ReadLane = "c" | "l" | "a";

/** What a query needs to know, whatever the thread. */
export interface QueryNeeds {
  /** Entries, turns and agents that it names. */
  readonly ids: readonly string[];
  readonly turns: readonly string[];
  readonly agents: readonly string[];
  readonly lanes: ReadonlySet<ReadLane>;
  /** Whether it asks for more than entries by name. */
  readonly hasRows: boolean;
  /** Whether no part of the log can answer it. */
  readonly isWhole: boolean;
  /** Whether it asks for the last task or turns, wherever `before` is. */
  readonly isAboutLast: boolean;
  readonly usesTurns: boolean;
  readonly usesTasks: boolean;
}

/** Returns what a query needs to know. */
export function needsOf(query: HistoryQuery): QueryNeeds {
  const { clauses, after, before, maxEntries, maxTokens, maxBytes } = query;
  const isLimited =
    after !== undefined ||
    [maxEntries, maxTokens, maxBytes].some((limit = Infinity) => limit !== Infinity);
  const isFar = (clause: QueryClause): boolean =>
    lanesOf(clause)?.includes("a") === true &&
    clause.turn === undefined &&
    (clause.lastTurns === undefined || clause.lastTurns.count === Infinity) &&
    clause.lastTask === undefined &&
    clause.task === undefined;
  const named = [after, before, ...clauses.flatMap(({ ids = [], task }) => [...ids, task])];
  return {
    ids: [...new Set(named.filter((id) => id !== undefined))],
    turns: clauses.flatMap(({ turn }) => (turn !== undefined && "id" in turn ? turn.id : [])),
    agents: clauses.flatMap(({ lastTask }) =>
      lastTask === undefined ? [] : agentKey(lastTask.of),
    ),
    lanes: new Set(clauses.flatMap((clause) => lanesOf(clause) ?? [])),
    hasRows: clauses.some((clause) => lanesOf(clause) !== undefined),
    isWhole: !isLimited && before === undefined && clauses.some(isFar),
    isAboutLast: clauses.some(
      ({ lastTask, lastTurns, beforePhase }) =>
        lastTask !== undefined || lastTurns !== undefined || beforePhase !== undefined,
    ),
    usesTurns: clauses.some(
      ({ turn, lastTurns, phases, beforePhase }) =>
        turn !== undefined ||
        lastTurns !== undefined ||
        phases !== undefined ||
        beforePhase !== undefined,
    ),
    usesTasks: clauses.some(asksForTasks),
  };
}

/** Conditions about the task that an entry was written under. */
export function asksForTasks(clause: QueryClause): boolean {
  return (
    clause.task !== undefined ||
    clause.lastTask !== undefined ||
    clause.underTaskFrom !== undefined ||
    clause.underTaskFromRole !== undefined ||
    clause.phases !== undefined ||
    clause.beforePhase !== undefined
  );
}

/** The key of the item that says where the last task of an agent stands; of all agents without one. */
export function agentKey(agent: string | undefined): string {
  return agent === undefined ? "*" : `=${agent}`;
}

/** The lanes that a clause is answered from, besides the marked rows; `undefined` if it only names entries or asks for what is shown anyway. */
export function lanesOf(clause: QueryClause): readonly ReadLane[] | undefined {
  const { ids, types, agent: _agent, role: _role, unowned: _unowned, ...others } = clause;
  const { standsInView, attachedToShown, ...conditions } = others;
  const isAlone = Object.values(conditions).every((one) => one === undefined);
  if ((ids !== undefined || standsInView !== undefined) && isAlone) return undefined;
  if (standsInView !== undefined) return ["a"];
  if (attachedToShown !== undefined) return [];
  if (conditions.beforePhase !== undefined) return ["a"];
  const lanes = lanesOfTypes(types);
  // The last turns begin with a user message.
  const asksTalk = (lanes.length === 0 && !isAlone) || conditions.lastTurns !== undefined;
  return asksTalk && !lanes.includes("a") ? [...new Set<ReadLane>([...lanes, "c"])] : lanes;
}

function lanesOfTypes(types: readonly string[] | undefined): readonly ReadLane[] {
  const lanes = new Set(types?.map(laneOfType));
  if (types === undefined || lanes.has("h")) return ["a"];
  return (["c", "l"] as const).filter((lane) => lanes.has(lane));
}
