import type {
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  PhaseId,
  QueryClause,
} from "@agent-history/core";
import {
  CONVERSATION_TYPES,
  COORDINATION_TYPES,
  EXECUTION_TRACE_TYPES,
  agentView,
} from "@agent-history/core";
import * as fc from "fast-check";

/**
 * Generates queries about a history: those that the built-in filters make, tails, and a few that no filter makes, for its
 * agents, tasks, phases and turns and for strangers, with ranges and limits on top. Each can be answered: `after` and
 * `before` name entries.
 *
 * @param entries - The history; of a store's thread, its log.
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { arbitraryQuery } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const queries = fc.sample(arbitraryQuery([userMessage({ id: "u1", content: "Hello" })]), 100);
 * queries.every(({ before = "u1", after = "u1" }) => before === "u1" && after === "u1");
 * // => true
 * ```
 */
export function arbitraryQuery(entries: readonly HistoryEntry[]): fc.Arbitrary<HistoryQuery> {
  const names = namesOf(entries);
  const base = fc.oneof(
    { weight: 3, arbitrary: orchestratorQuery(names) },
    { weight: 3, arbitrary: managerQuery(names) },
    { weight: 4, arbitrary: workerQuery(names) },
    { weight: 2, arbitrary: everythingQuery(names) },
    { weight: 2, arbitrary: namedQuery(names) },
    { weight: 1, arbitrary: oddQuery(names) },
  );
  return fc.tuple(base, rangeOf(entries)).map(([query, range]) => ({ ...query, ...range }));
}

interface Names {
  readonly ids: fc.Arbitrary<readonly string[]>;
  readonly agent: fc.Arbitrary<string>;
  readonly task: fc.Arbitrary<string>;
  readonly phase: fc.Arbitrary<PhaseId>;
  /** The turn of a query; mostly the newest. */
  readonly turn: fc.Arbitrary<NonNullable<QueryClause["turn"]>>;
  readonly view: fc.Arbitrary<HistoryView>;
}

function namesOf(entries: readonly HistoryEntry[]): Names {
  const agent = oneOf(entries.flatMap((entry) => entry.agent?.id ?? []));
  const turn = oneOf(entries.flatMap(({ turnId }) => turnId ?? []));
  const named = oneOf(entries.map((entry) => entry.id));
  return {
    ids: fc.oneof(fc.array(named, { maxLength: 3 }), fc.array(named, { maxLength: 12 })),
    agent,
    task: oneOf(entries.flatMap(({ id, type, taskId }) => (type === "task" ? id : (taskId ?? [])))),
    phase: oneOf<PhaseId>(entries.flatMap(({ phaseId }) => phaseId ?? [])),
    turn: fc.oneof(
      { weight: 3, arbitrary: fc.constant({ newest: true as const }) },
      { weight: 1, arbitrary: turn.map((id) => ({ id })) },
    ),
    view: fc.oneof(
      fc.constantFrom<HistoryView>("thread", "conversation"),
      agent.map((id) => agentView(id)),
    ),
  };
}

/** One of these, the last ones most often, and now and then a stranger. */
function oneOf<Name extends PhaseId>(names: readonly Name[]): fc.Arbitrary<Name | "stranger"> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return fc.constant("stranger");
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...distinct) },
    { weight: 4, arbitrary: fc.constantFrom(...distinct.slice(-3)) },
    { weight: 1, arbitrary: fc.constant("stranger" as const) },
  );
}

function sharedClauses(agentId: string | undefined): readonly QueryClause[] {
  const types = ["system_message", "memory", "summary"] as const;
  return [
    { types, unowned: true },
    ...(agentId === undefined ? [] : [{ types, agent: agentId }]),
    { types: ["summary"], standsInView: true },
    { types: ["attachment"], attachedToShown: true },
  ];
}

function orchestratorQuery(names: Names): fc.Arbitrary<HistoryQuery> {
  return fc
    .record({
      agent: maybe(names.agent),
      turn: names.turn,
      count: fc.oneof(fc.constantFrom(0, 1, 2, 8, Infinity), fc.nat({ max: 5 })),
      stride: fc.integer({ min: 1, max: 4 }),
      include: fc.subarray(["own", "reports", "syntheses"] as const),
    })
    .map(({ agent, turn, count, stride, include }) => ({
      clauses: [
        {
          types: CONVERSATION_TYPES,
          lastTurns: { count, stride: Math.min(stride, Math.max(count, 1)) },
        },
        ...include.flatMap((part) => includedClauses(part, agent, turn)),
        ...sharedClauses(agent),
      ],
      view: "conversation",
    }));
}

function includedClauses(
  part: "own" | "reports" | "syntheses",
  agent: string | undefined,
  turn: NonNullable<QueryClause["turn"]>,
): readonly QueryClause[] {
  const role = "orchestrator" as const;
  if (part === "syntheses") return [{ types: ["synthesis"], turn }];
  if (part === "reports") {
    const giver = agent === undefined ? { underTaskFromRole: role } : { underTaskFrom: agent };
    return [{ types: ["final"], turn, ...giver }];
  }
  const clause = { types: COORDINATION_TYPES, turn };
  if (agent !== undefined) return [{ ...clause, agent }];
  return [
    { ...clause, role },
    { ...clause, unowned: true },
  ];
}

function managerQuery(names: Names): fc.Arbitrary<HistoryQuery> {
  const phases = fc.oneof<fc.Arbitrary<QueryClause>[]>(
    fc.constant({}),
    fc.array(names.phase, { maxLength: 2 }).map((ids) => ({ phases: ids })),
    fc
      .tuple(names.phase, fc.constantFrom(0, 1, 2, Infinity))
      .map(([id, count]) => ({ beforePhase: { id, count } })),
  );
  return fc
    .record({
      agent: maybe(names.agent),
      task: maybe(names.task),
      phase: maybe(names.phase),
      turn: names.turn,
      phases,
    })
    .map(({ agent, task, phase, turn, phases: seen }) => {
      const inPhase = phase === undefined ? {} : { phases: [phase] };
      const own: readonly QueryClause[] =
        agent === undefined
          ? []
          : [
              { types: ["task"], turn, agent, ...taskClause(agent, task) },
              {
                types: COORDINATION_TYPES,
                turn,
                agent,
                ...(task === undefined ? inPhase : { task }),
              },
              { types: ["final"], turn, underTaskFrom: agent, ...inPhase },
            ];
      return {
        clauses: [{ types: ["synthesis"], turn, ...seen }, ...own, ...sharedClauses(agent)],
        ...viewOf(agent),
      };
    });
}

function workerQuery(names: Names): fc.Arbitrary<HistoryQuery> {
  return fc
    .record({
      agent: maybe(names.agent),
      task: maybe(names.task),
      turn: names.turn,
      memory: fc.constantFrom("task", "turn", "thread"),
    })
    .map(({ agent, task, turn, memory }) => ({
      clauses: [
        memory === "task" || agent === undefined
          ? {
              types: EXECUTION_TRACE_TYPES,
              turn,
              ...(agent === undefined ? {} : { agent }),
              ...taskClause(agent, task),
            }
          : {
              types: [...EXECUTION_TRACE_TYPES, "final"] as const,
              agent,
              ...(memory === "turn" ? { turn } : {}),
            },
        { types: ["global_observation"], turn },
        ...sharedClauses(agent),
      ],
      ...viewOf(agent),
    }));
}

function everythingQuery(names: Names): fc.Arbitrary<HistoryQuery> {
  return maybe(names.view).map((view) => ({
    clauses: [{}],
    ...(view === undefined ? {} : { view }),
  }));
}

/** Entries by their ids, alone or beside what else is asked. */
function namedQuery(names: Names): fc.Arbitrary<HistoryQuery> {
  const { ids, agent, turn } = names;
  const clause = fc.oneof<fc.Arbitrary<QueryClause>[]>(
    ids.map((named) => ({ ids: named })),
    ids.map((named) => ({ ids: named, types: ["user_message", "observation"] })),
    fc.record({ ids, agent }),
    fc.record({ ids, turn }),
  );
  const others = fc.array(fc.constantFrom(...sharedClauses(undefined)), { maxLength: 2 });
  return fc
    .record({
      named: fc.array(clause, { minLength: 1, maxLength: 2 }),
      others: fc.oneof(fc.constant([]), others),
      view: maybe(names.view),
      wholeExchanges: fc.boolean(),
    })
    .map(({ named, others: beside, view, wholeExchanges }) => ({
      clauses: [...named, ...beside],
      ...(view === undefined ? {} : { view }),
      wholeExchanges,
    }));
}

/** What no built-in filter asks. */
function oddQuery(names: Names): fc.Arbitrary<HistoryQuery> {
  const clause = fc.oneof<fc.Arbitrary<QueryClause>[]>(
    names.agent.map((agent) => ({ agent })),
    names.turn.map((turn) => ({ turn })),
    names.task.map((task) => ({ task })),
    names.phase.map((phase) => ({ phases: [phase] })),
    names.agent.map((agent) => ({ underTaskFrom: agent })),
    names.agent.map((of) => ({ lastTask: { of } })),
    fc.constant({ lastTurns: { count: 2 } }),
    fc.constant({ types: ["action"] as const }),
    fc.constant({ types: ["user_message", "attachment"] as const }),
    fc.constant({ types: ["attachment"] as const, attachedToShown: true as const }),
    fc.constantFrom<QueryClause>({ role: "worker" }, { underTaskFromRole: "manager" }),
    fc.constant({ unowned: true as const }),
    fc.constant({ standsInView: true as const }),
  );
  return fc
    .tuple(fc.array(clause, { maxLength: 3 }), maybe(names.view))
    .map(([clauses, view]) => ({ clauses, ...(view === undefined ? {} : { view }) }));
}

/** Where a query begins and ends, and what it is limited to; mostly nothing. */
function rangeOf(entries: readonly HistoryEntry[]): fc.Arbitrary<Partial<HistoryQuery>> {
  const id: fc.Arbitrary<string | undefined> =
    entries.length === 0
      ? fc.constant(undefined)
      : rarely(fc.constantFrom(...entries.map((entry) => entry.id)));
  return fc
    .record({
      after: id,
      before: id,
      maxEntries: rarely(fc.oneof(fc.nat({ max: 12 }), fc.constant(Infinity))),
      maxTokens: rarely(fc.oneof(fc.nat({ max: 4000 }), fc.constantFrom(0, 8000, Infinity))),
      maxBytes: rarely(fc.oneof(fc.nat({ max: 4000 }), fc.constantFrom(0, 8000, Infinity))),
      wholeExchanges: rarely(fc.boolean()),
    })
    .map(({ after, before, maxEntries, maxTokens, maxBytes, wholeExchanges }) => ({
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      ...(maxEntries === undefined ? {} : { maxEntries }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      ...(wholeExchanges === undefined ? {} : { wholeExchanges }),
    }));
}

function taskClause(agent: string | undefined, task: string | undefined): QueryClause {
  if (task !== undefined) return { task };
  return { lastTask: agent === undefined ? {} : { of: agent } };
}

function viewOf(agent: string | undefined): Pick<HistoryQuery, "view"> {
  return agent === undefined ? {} : { view: agentView(agent) };
}

function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(value, { nil: undefined, freq: 2 });
}

function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );
}
