import type { HistoryQuery, QueryClause } from "@agent-history/core";
import {
  CONVERSATION_TYPES,
  COORDINATION_TYPES,
  EXECUTION_TRACE_TYPES,
  agentView,
} from "@agent-history/core";

/** What the built-in filters ask of a regular thread, by name. */
export const ROLE_QUERIES: ReadonlyMap<string, HistoryQuery> = new Map([
  ["orchestrator", orchestrator(8, 1)],
  ["orchestrator, forgetting 4 turns at a time", orchestrator(8, 4)],
  ["orchestrator that leads workers itself", leader(8)],
  ["manager", manager("manager 1", "phase 1")],
  ["worker", worker("worker 1")],
  ["worker with its memory of the turn", rememberer("worker 1")],
  ["worker without a name", worker(undefined)],
  ["tail", { clauses: [{}], maxTokens: 8000 }],
  ["tail of the thread's view", { clauses: [{}], view: "thread", maxTokens: 8000 }],
  ["tail of 20 entries", { clauses: [{}], view: "conversation", maxEntries: 20 }],
]);

function orchestrator(count: number, stride: number): HistoryQuery {
  const turn = { newest: true } as const;
  return {
    clauses: [
      { types: CONVERSATION_TYPES, lastTurns: { count, stride } },
      { types: ["synthesis"], turn },
      ...shared("orchestrator"),
    ],
    view: "conversation",
  };
}

function leader(count: number): HistoryQuery {
  const { clauses, ...others } = orchestrator(count, 1);
  const turn = { newest: true } as const;
  const agent = "orchestrator";
  const own = { types: COORDINATION_TYPES, turn, agent };
  return {
    ...others,
    clauses: [own, { types: ["final"], turn, underTaskFrom: agent }, ...clauses],
  };
}

function rememberer(agent: string): HistoryQuery {
  const types = [...EXECUTION_TRACE_TYPES, "final"] as const;
  const turn = { newest: true } as const;
  return { clauses: [{ types, turn, agent }, ...shared(agent)], view: agentView(agent) };
}

function manager(agent: string, phase: string): HistoryQuery {
  const turn = { newest: true } as const;
  return {
    clauses: [
      { types: ["synthesis"], turn, beforePhase: { id: phase, count: Infinity } },
      { types: ["task"], turn, agent, lastTask: { of: agent } },
      { types: COORDINATION_TYPES, turn, agent, phases: [phase] },
      { types: ["final"], turn, underTaskFrom: agent, phases: [phase] },
      ...shared(agent),
    ],
    view: agentView(agent),
  };
}

function worker(agent: string | undefined): HistoryQuery {
  const turn = { newest: true } as const;
  const own = agent === undefined ? { lastTask: {} } : { agent, lastTask: { of: agent } };
  return {
    clauses: [
      { types: EXECUTION_TRACE_TYPES, turn, ...own },
      { types: ["global_observation"], turn },
      ...shared(agent),
    ],
    ...(agent === undefined ? {} : { view: agentView(agent) }),
  };
}

function shared(agent: string | undefined): readonly QueryClause[] {
  const types = ["system_message", "memory", "summary"] as const;
  return [
    { types, unowned: true },
    ...(agent === undefined ? [] : [{ types, agent }]),
    { types: ["summary"], standsInView: true },
    { types: ["attachment"], attachedToShown: true },
  ];
}
