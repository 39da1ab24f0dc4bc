import type { HistoryEntry, HistoryQuery, PhaseId, QueryClause } from "@agent-history/core";
import { ENTRY_TYPES } from "@agent-history/core";
import * as fc from "fast-check";

import { OWN_TYPE, viewsOf } from "./arbitrary-thread.ts";

/** Generates queries about one history: every kind of clause, every limit, names that are in it and names that are not. */
export function arbitraryQueryOf(log: readonly HistoryEntry[]): fc.Arbitrary<HistoryQuery> {
  const bound = fc.constantFrom(...some(log, ({ id }) => id));
  return fc.record(
    {
      clauses: fc.array(clauseOf(log), { minLength: 1, maxLength: 4 }),
      view: fc.constantFrom(...viewsOf(log)),
      after: bound,
      before: bound,
      maxEntries: fc.oneof(fc.nat({ max: 20 }), fc.constant(Infinity)),
      maxTokens: fc.oneof(fc.nat({ max: 8000 }), fc.constant(Infinity)),
      maxBytes: fc.oneof(fc.nat({ max: 8000 }), fc.constant(Infinity)),
      wholeExchanges: fc.boolean(),
    },
    { requiredKeys: ["clauses"], noNullPrototype: true },
  );
}

const ROLES = ["orchestrator", "manager", "worker"] as const;

function clauseOf(log: readonly HistoryEntry[]): fc.Arbitrary<QueryClause> {
  const agents = fc.constantFrom(...some(log, ({ agent }) => agent?.id));
  const phase = fc.constantFrom<PhaseId[]>(...some(log, ({ phaseId }) => phaseId), 1);
  const count = fc.oneof(fc.nat({ max: 4 }), fc.constant(Infinity));
  const conditions: { readonly [Key in keyof QueryClause]-?: fc.Arbitrary<QueryClause[Key]> } = {
    ids: fc.array(fc.constantFrom(...some(log, ({ id }) => id)), { maxLength: 8 }),
    types: fc.subarray([...ENTRY_TYPES, OWN_TYPE]),
    turn: fc.oneof(
      fc.constant({ newest: true } as const),
      fc.record({ id: fc.constantFrom(...some(log, ({ turnId }) => turnId)) }),
    ),
    lastTurns: fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 3 })).map(([turns, stride]) => ({
      count: turns,
      stride: 1 + Math.min(stride, turns - 1, 3) || 1,
    })),
    phases: fc.array(phase, { maxLength: 2 }),
    beforePhase: fc.record({ id: phase, count }, { requiredKeys: ["id"] }),
    agent: agents,
    role: fc.constantFrom(...ROLES),
    unowned: fc.constant(true),
    task: fc.constantFrom(...some(log, ({ type, id }) => (type === "task" ? id : undefined))),
    lastTask: fc.record({ of: agents }, { requiredKeys: [] }),
    underTaskFrom: agents,
    underTaskFromRole: fc.constantFrom(...ROLES),
    standsInView: fc.constant(true),
    attachedToShown: fc.constant(true),
  };
  const one = fc.constantFrom(...Object.keys(conditions).filter(isCondition));
  return fc
    .uniqueArray(one, { maxLength: 3 })
    .chain((names) =>
      fc.record<QueryClause>(Object.fromEntries(names.map((name) => [name, conditions[name]]))),
    );

  function isCondition(name: string): name is keyof QueryClause {
    return Object.hasOwn(conditions, name);
  }
}

function some<Value>(
  log: readonly HistoryEntry[],
  pick: (entry: HistoryEntry) => Value | undefined,
): readonly (Value | string)[] {
  const found = log.flatMap((entry) => pick(entry) ?? []);
  return [...new Set(found), "gone"];
}
