import type { HistoryQuery, QueryClause } from "@agent-history/core";
import { agentView } from "@agent-history/core";

import { placeName, summaryName } from "./evaluate-references.ts";
import type { Evidence } from "./evaluate-references.ts";
import { indexLimitations } from "./index-limitations.ts";
import { knownFacts } from "./known-facts.ts";
import type { KnownFacts } from "./known-facts.ts";
import type { ReadContext } from "./read-context.ts";
import type { Reference } from "./reference.ts";
import { streamBounds } from "./stream-bounds.ts";
import type { StreamBounds } from "./stream-bounds.ts";
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
  readonly evidenceOf: (references: ReadonlyMap<number, Reference>) => Evidence | string;
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
    return position < head.version ? placeName(position) : standing.get(id);
  };
  const clauses = translate(query.clauses, known, head, nameOf);
  if (typeof clauses === "string") return { kind: "unsure", reason: clauses };
  const translated = { ...query, clauses };
  const lastTask = lastTaskOf(clauses, known, head);
  if (typeof lastTask === "string") return { kind: "unsure", reason: lastTask };
  const limitations = indexLimitations({ ...context, query: translated }, lastTask);
  if (limitations.reason !== undefined) return { kind: "unsure", reason: limitations.reason };
  const numbers = viewNumbers(context);
  const isOwnView = plan.agent !== undefined && query.view === agentView(plan.agent);
  const isGone = (one: Reference): boolean =>
    state !== undefined && isCovered(one, state, query.view, isOwnView);

  return {
    ...streamBounds(context, numbers),
    kind: "resolved",
    query: translated,
    evidenceOf: (found) => {
      const references = new Map([...found].filter(([, one]) => !isGone(one)));
      const reason = limitations.about(references.values());
      if (reason !== undefined) return reason;
      const summaries = state?.shown ?? [];
      return { ...numbers, references, summaries, range, agent: plan.agent, lastTask };
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
      (typeof named === "object" && named.at >= head.version) ||
      (last?.at ?? -1) >= head.version ||
      (number ?? 0) > head.turns.newest
    );
  });
}

/** Puts what is known of them instead of ids; leaves out clauses that nothing can meet. */
function translate(
  clauses: readonly QueryClause[],
  known: KnownFacts,
  head: ThreadHead,
  nameOf: (id: string) => string | undefined,
): readonly QueryClause[] | string {
  const translated: QueryClause[] = [];
  for (const clause of clauses) {
    let { turn, task } = clause;
    if (turn && "id" in turn) {
      const fact = known.turn(turn.id);
      if (fact === undefined) continue;
      const number = head.hasUsers ? fact.turn : fact.plainTurn;
      if (number !== turnsOf(head).newest) return "an earlier turn";
      turn = { newest: true };
    }
    if (task !== undefined) {
      const fact = known.task(task);
      if (fact === undefined) continue;
      if (fact === "missing") return "a task that is not there";
      task = placeName(fact.at);
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
