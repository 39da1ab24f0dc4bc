import type { EntryType, HistoryQuery, LastTurns, QueryClause } from "@agent-history/core";
import { CONVERSATION_TYPES, ENTRY_TYPES, GLOBAL_TYPES, agentView } from "@agent-history/core";

import { factKey } from "./known-facts.ts";
import { streamName } from "./streams-of.ts";

/** Which streams answer a query, how far back each is read, and which facts it needs. */
export interface ReadPlan {
  /** The agent whose streams are read. */
  readonly agent: string | undefined;
  readonly sources: ReadonlyMap<string, readonly Bound[]>;
  readonly factKeys: readonly string[];
}

/**
 * How far back a stream is read: to the first entry of the newest turn, of a turn that is named, to a task, to the oldest entry that is named, to the oldest of the last
 * turns, to the beginning.
 */
export type Bound = "newest-turn" | "turn" | "task" | "named" | "beginning" | LastTurns;

/** Plans a read; gives a reason where references cannot answer the query. */
export function planRead(query: HistoryQuery): ReadPlan | string {
  const agents = new Set(query.clauses.flatMap(agentsOf));
  if (agents.size > 1) return "several agents";
  const [agent = ownerOf(query)] = agents;
  const sources = new Map<string, Bound[]>();
  const factKeys = new Set<string>();
  for (const clause of query.clauses) {
    const source = sourceOf(clause);
    if (typeof source === "string") return source;
    if (source === undefined) continue;
    const bounds = sources.get(source.stream) ?? [];
    sources.set(source.stream, [...bounds, source.bound]);
    if (clause.task !== undefined) factKeys.add(factKey.task(clause.task));
    if (clause.lastTask?.of !== undefined) factKeys.add(factKey.agent(clause.lastTask.of));
    if (clause.turn && "id" in clause.turn) factKeys.add(factKey.turn(clause.turn.id));
  }
  return { agent, sources, factKeys: [...factKeys] };
}

function agentsOf({ agent, lastTask, underTaskFrom }: QueryClause): readonly string[] {
  return [agent, lastTask?.of, underTaskFrom].filter((id) => id !== undefined);
}

/** Whose stream tells what the summaries of an agent's view cover, where entries are named and no agent is. */
function ownerOf({ view, clauses }: HistoryQuery): string | undefined {
  const prefix = agentView("");
  const isAsked = view?.startsWith(prefix) === true && clauses.some(({ ids }) => ids !== undefined);
  return isAsked ? view.slice(prefix.length) : undefined;
}

/** A stream, and how far back it is read. */
export interface Source {
  readonly stream: string;
  readonly bound: Bound;
}

/** Which stream has all that meets a clause; `undefined` where none needs to be read, a reason where none does. */
export function sourceOf(clause: QueryClause): Source | string | undefined {
  const { agent, underTaskFrom, lastTask, unowned, turn } = clause;
  if (!isWithin({ types: [], ...clause }, ENTRY_TYPES)) return "types of the user's own";
  if (clause.attachedToShown || clause.standsInView) {
    const { types: _, attachedToShown: __, standsInView: ___, ...others } = clause;
    const isPlain = Object.values(others).every((condition) => condition === undefined);
    return isPlain ? undefined : "a clause of an unusual form";
  }
  if (clause.role !== undefined || clause.underTaskFromRole !== undefined) return "roles of agents";
  if (agent !== undefined && unowned !== undefined) return "a clause of an unusual form";
  if (lastTask?.of !== undefined && lastTask.of !== agent) return "a clause of an unusual form";
  if (needsPhases(clause) && turn === undefined) return "phases of any turn";
  const bound = boundOf(clause);
  if (underTaskFrom !== undefined) {
    const isUsual = agent === undefined && unowned === undefined && isWithin(clause, ["final"]);
    return isUsual ? { stream: streamName.agent(underTaskFrom), bound } : "tasks from an agent";
  }
  return { stream: streamOf(clause), bound };
}

function boundOf({ turn, lastTurns, ids, task, lastTask }: QueryClause): Bound {
  if (turn !== undefined) return "newest" in turn ? "newest-turn" : "turn";
  if (lastTurns !== undefined) return lastTurns;
  if (ids !== undefined) return "named";
  return task === undefined && lastTask === undefined ? "beginning" : "task";
}

function streamOf(clause: QueryClause): string {
  const { agent, unowned } = clause;
  const isStanding = isWithin(clause, ["system_message", "memory", "summary"]);
  if (agent !== undefined) {
    return isStanding ? streamName.standingOf(agent) : streamName.agent(agent);
  }
  if (isStanding && unowned === true) return streamName.standing;
  if (isWithin(clause, [...CONVERSATION_TYPES, "attachment"])) return streamName.conversation;
  if (isWithin(clause, GLOBAL_TYPES)) return streamName.global;
  return streamName.all;
}

/** Returns whether a clause is met by entries of these types only. */
export function isWithin({ types }: QueryClause, allowed: readonly EntryType[]): boolean {
  const names: readonly string[] = allowed;
  return types !== undefined && types.every((type) => names.includes(type));
}

/** Returns whether a clause asks for the phase of an entry. */
export function needsPhases({ phases, beforePhase }: QueryClause): boolean {
  return phases !== undefined || beforePhase !== undefined;
}

/** Returns whether a clause asks for the task of an entry, for itself or for its phase. */
export function needsTasks(clause: QueryClause): boolean {
  const { task, lastTask, underTaskFrom } = clause;
  return (
    needsPhases(clause) ||
    task !== undefined ||
    lastTask !== undefined ||
    underTaskFrom !== undefined
  );
}

/** Returns whether a clause asks for the turn of an entry. */
export function needsTurns({ turn, lastTurns }: QueryClause): boolean {
  return turn !== undefined || lastTurns !== undefined;
}

/** The oldest of the last turns, as `selectEntries` has it. */
export function excessOf({ count, stride = 1 }: LastTurns, newestTurn: number): number {
  return count === 0 ? Infinity : Math.ceil((newestTurn + 1 - count) / stride) * stride;
}
