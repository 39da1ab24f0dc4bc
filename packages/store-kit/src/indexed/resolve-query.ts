import type { HistoryQuery, QueryClause } from "@agent-history/core";
import { agentView } from "@agent-history/core";

import { EARLY_NAME, indexLimitations } from "./index-limitations.ts";
import { knownFacts } from "./known-facts.ts";
import type { KnownFacts } from "./known-facts.ts";
import { eachInSteps } from "./pauses.ts";
import { needsPhases } from "./plan-read.ts";
import type { ReadContext } from "./read-context.ts";
import { positionName, summaryName, turnName } from "./reference-facts.ts";
import type { Evidence } from "./reference-facts.ts";
import type { Reference } from "./reference.ts";
import type { StoreProgram } from "./store-program.ts";
import { streamBounds } from "./stream-bounds.ts";
import type { OldestAsked, StreamBounds } from "./stream-bounds.ts";
import { turnsOf } from "./thread-head.ts";
import type { ThreadHead } from "./thread-head.ts";
import { viewNumbers } from "./view-numbers.ts";
import { isCovered } from "./view-state.ts";

/** Says how far streams must be read for a query, and what was read says. */
export interface ResolvedQuery extends StreamBounds {
  readonly kind: "resolved";
  /** The query, with positions instead of ids. */
  readonly query: HistoryQuery;
  /** The evidence, or why the index cannot answer. */
  readonly evidenceOf: (
    references: ReadonlyMap<number, Reference>,
  ) => StoreProgram<Evidence | string>;
}

/** Finds out how a query is answered, or why it cannot be. */
export function resolveQuery(
  context: ReadContext,
  facts: ReadonlyMap<string, string>,
):
  | ResolvedQuery
  | { readonly kind: "unsure"; readonly reason: string }
  | { readonly kind: "torn" } {
  const { query, plan, head, state, range, positions } = context;
  const known = knownFacts(facts);
  if (isNewer(known, context)) return { kind: "torn" };
  const standing = new Map(state?.shown.map(({ id, at }) => [id, summaryName(at)]));
  const nameOf = (id: string): string | undefined => {
    const position = positions.get(id) ?? head.version;
    return position < head.version ? positionName(position) : standing.get(id);
  };
  const clauses = translate(context, known, nameOf);
  if (typeof clauses === "string") return { kind: "unsure", reason: clauses };
  const translated = { ...query, clauses };
  const lastTask = lastTaskOf(clauses, known, head);
  if (typeof lastTask === "string") return { kind: "unsure", reason: lastTask };
  const asked = oldestAsked(context, known, lastTask);
  const isByTask = [...plan.sources.values()].some((bounds) => bounds.includes("task"));
  if (isByTask && asked.task <= head.taskDoubt) return { kind: "unsure", reason: EARLY_NAME };
  const limitations = indexLimitations({ ...context, query: translated }, lastTask);
  if (limitations.reason !== undefined) return { kind: "unsure", reason: limitations.reason };
  const numbers = viewNumbers(context);
  const isOwnView = plan.agent !== undefined && query.view === agentView(plan.agent);
  const isGone = (one: Reference): boolean =>
    state !== undefined && isCovered(one, state, query.view, isOwnView);

  return {
    ...streamBounds(context, numbers, asked),
    kind: "resolved",
    query: translated,
    evidenceOf: function* (found) {
      const references = new Map<number, Reference>();
      yield* eachInSteps(found, ([position, one]) => {
        if (!isGone(one)) references.set(position, one);
      });
      const reason = limitations.about(references.values());
      if (reason !== undefined) return reason;
      const summaries = state?.shown ?? [];
      const { agent } = plan;
      return { ...numbers, references, summaries, range, agent, lastTask, turns: asked.turns };
    },
  };
}

/** Facts may be of a later moment than the head. */
function isNewer(known: KnownFacts, { query, head }: ReadContext): boolean {
  return query.clauses.some(({ task, lastTask, turn }) => {
    const named = task === undefined ? undefined : known.task(task);
    const last = lastTask?.of === undefined ? undefined : known.agent(lastTask.of).task;
    const number = turn && "id" in turn ? known.turn(turn.id)?.turn : undefined;
    return (
      (named?.at ?? -1) >= head.version ||
      (last?.at ?? -1) >= head.version ||
      (number ?? 0) > head.turns.newest
    );
  });
}

/** Puts what is known of them instead of ids; leaves out clauses that nothing can meet. */
function translate(
  context: ReadContext,
  known: KnownFacts,
  nameOf: (id: string) => string | undefined,
): readonly QueryClause[] | string {
  const translated: QueryClause[] = [];
  for (const clause of context.query.clauses) {
    let { turn, task } = clause;
    if (turn && "id" in turn) {
      const number = turnNumber(turn.id, known, context);
      if (number === undefined) continue;
      const isNewest = number === turnsOf(context.head).newest;
      if (!isNewest && !isNumbered(context, clause)) return "an earlier turn";
      turn = isNewest ? { newest: true } : { id: turnName(number) };
    }
    if (task !== undefined) {
      const fact = known.task(task);
      if (fact === undefined) continue;
      if (fact.at === undefined) return "a task that is not there";
      task = positionName(fact.at);
    }
    const { turn: _, task: __, ids, ...others } = clause;
    translated.push({
      ...others,
      ...(ids === undefined ? {} : { ids: ids.flatMap((id) => nameOf(id) ?? []) }),
      ...(turn === undefined ? {} : { turn }),
      ...(task === undefined ? {} : { task }),
    });
  }
  return translated;
}

/** The number of the turn of an id; `undefined` where no entry has it. */
function turnNumber(
  id: string,
  known: KnownFacts,
  { head }: Pick<ReadContext, "head">,
): number | undefined {
  const fact = known.turn(id);
  return fact && (head.hasUsers ? fact.turn : (fact.plainTurn ?? -1));
}

/** Returns whether references have the numbers of all turns, and what a clause asks of an earlier one. */
function isNumbered({ head, state }: ReadContext, clause: QueryClause): boolean {
  return head.hasUsers && state === undefined && !needsPhases(clause);
}

/** The oldest task and turn that clauses name, and the numbers of the earlier turns. */
function oldestAsked(
  context: ReadContext,
  known: KnownFacts,
  lastTask: number | undefined,
): OldestAsked & { readonly turns: readonly number[] } {
  const asked = { task: Infinity, turn: Infinity };
  const turns = new Set<number>();
  for (const { task, turn, lastTask: isLast } of context.query.clauses) {
    const fact = task === undefined ? undefined : known.task(task);
    if (fact?.at !== undefined) asked.task = Math.min(asked.task, fact.at);
    if (isLast !== undefined) asked.task = Math.min(asked.task, lastTask ?? Infinity);
    const number = turn && "id" in turn ? turnNumber(turn.id, known, context) : undefined;
    if (number === undefined) continue;
    asked.turn = Math.min(asked.turn, number);
    turns.add(number);
  }
  return { ...asked, turns: [...turns] };
}

/** The position of the last task that clauses ask for. */
function lastTaskOf(
  clauses: readonly QueryClause[],
  known: KnownFacts,
  head: ThreadHead,
): number | undefined | string {
  const asked = clauses.flatMap(({ lastTask }) => lastTask ?? []);
  const ofAgents = new Set(asked.map(({ of }) => of));
  if (ofAgents.size > 1) return "last tasks of several";
  const [{ of: agent } = {}] = asked;
  if (agent === undefined) return asked.length === 0 ? undefined : head.task;
  return known.agent(agent).task?.at;
}
