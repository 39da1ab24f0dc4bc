import {
  action,
  assistantMessage,
  delegation,
  final,
  observation,
  summary,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { planReduction } from "@agent-history/reducer";

import { inspectPlans } from "../src/inspect-plans.ts";
import type { PlannedCall } from "../src/inspection.ts";
import type { InspectorData } from "../src/inspector-data.ts";
import { lengthCounter } from "../src/length-counter.ts";

const AGENTS: Readonly<Record<"lead" | "manager" | "worker", Agent>> = {
  lead: { id: "lead", role: "orchestrator" },
  manager: { id: "billing", role: "manager" },
  worker: { id: "reader", role: "worker" },
};
const WINDOWS = { lead: 1400, manager: 900, worker: 1000 };

/**
 * Draws a conversation of an orchestrator, its manager and its worker: eight turns, in windows that are too small, with a summary of the first turn.
 *
 * @param said - Stands in every message, result, name and id that another party chose.
 */
export function threeRoles(
  said = "",
  turns = 8,
  counter: TokenCounter = lengthCounter(),
): InspectorData {
  const log: HistoryEntry[] = [
    systemMessage({ id: "rules", createdAtMs: 0, content: "You answer questions about invoices." }),
  ];
  const plans: PlannedCall[] = [];
  const previous = new Map<string, ReductionPlan>();
  const call = (name: keyof typeof AGENTS): void => {
    const agent = AGENTS[name];
    const entries = log.filter((entry) => sees(agent, entry));
    const plan = planReduction(entries, {
      counter,
      window: { contextTokens: WINDOWS[name], outputReserveTokens: 100 },
      viewer: { agentId: agent.id },
      previousPlan: previous.get(name),
    });
    previous.set(name, plan);
    const cacheReadTokens = Math.floor(plan.totalTokens * (plans.length % 5 === 4 ? 0.2 : 0.9));
    plans.push({
      plan,
      entries,
      agent,
      id: `${plans.length + 1}${said.slice(0, 20)}`,
      model: "claude-sonnet-4-5",
      atMs: plans.length * 1000,
      usage: {
        inputTokens: plan.totalTokens - cacheReadTokens,
        cacheReadTokens,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        outputTokens: 80,
      },
      ...(plans.length % 5 === 4 && { providerReason: `previous_message_not_found ${said}` }),
    });
  };
  for (let turn = 1; turn <= turns; turn++) oneTurn(turn, { log, call, said });
  return {
    ...inspectPlans({ plans, entries: log, counter, title: `Invoices ${said}`.trim() }),
    problems: said === "" ? [] : [`Line 3: ${said}.`],
  };
}

interface TurnContext {
  readonly log: HistoryEntry[];
  readonly call: (name: keyof typeof AGENTS) => void;
  readonly said: string;
}

function oneTurn(turn: number, { log, call, said }: TurnContext): void {
  const { lead, manager, worker } = AGENTS;
  const of = (name: string): { id: string; createdAtMs: number; turnId: string } => ({
    id: `${name}-${turn}`,
    createdAtMs: turn,
    turnId: `turn-${turn}`,
  });
  log.push(userMessage({ ...of("question"), content: `What was billed in week ${turn}? ${said}` }));
  call("lead");
  const request = `Sum up the invoices of week ${turn}, in cents. `;
  log.push(delegation({ ...of("delegation"), agent: lead, to: manager, content: request }));
  log.push(task({ ...of("manager-task"), agent: manager, from: lead, content: request }));
  call("manager");
  log.push(task({ ...of("worker-task"), agent: worker, from: manager, content: request }));
  for (const part of ["a", "b"]) {
    const path = `invoices/week-${turn}-${part}.csv`;
    const toolCall = {
      id: `${path}${said}`,
      name: "read_file",
      arguments: JSON.stringify({ path }),
    };
    log.push(action({ ...of(`read-${part}`), agent: worker, toolCalls: [toolCall] }));
    log.push(
      observation({
        ...of(`result-${part}`),
        agent: worker,
        callId: toolCall.id,
        toolName: "read_file",
        outcome: "success",
        content: `${path}: ${said} ${"1200.00 euros, paid; ".repeat(30)}`,
      }),
    );
    call("worker");
  }
  log.push(final({ ...of("report"), agent: worker, content: `Week ${turn}: 72,000.00. ${said}` }));
  call("manager");
  log.push(
    final({ ...of("manager-report"), agent: manager, content: `72,000.00 in week ${turn}.` }),
  );
  call("lead");
  log.push(assistantMessage({ ...of("answer"), agent: lead, content: `72,000.00 euros. ${said}` }));
  if (turn !== 2) return;
  log.push(
    summary({
      id: "summary",
      createdAtMs: 2,
      content: `The user asks for what was billed; week 1: 72,000.00. ${said}`,
      strategy: "wholeHistory",
      trust: "user",
      covers: [{ from: "question-1", to: "answer-1" }],
    }),
  );
}

/** The lead sees the conversation and what its manager reports; the others their own work and what is reported to them. */
function sees({ id, role }: Agent, { type, agent }: HistoryEntry): boolean {
  if (type === "system_message") return true;
  if (role === "orchestrator")
    return agent === undefined || agent.id === id || (type === "final" && agent.role === "manager");
  return agent?.id === id || (type === "final" && role === "manager" && agent?.role === "worker");
}
