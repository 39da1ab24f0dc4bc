import {
  action,
  attachment,
  delegation,
  final,
  globalObservation,
  memory,
  observation,
  strategicPlan,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, FilterContext, HistoryEntry, HistoryFilter } from "@agent-history/core";

import { filterHistory } from "../src/filter-history.ts";

export const lead: Agent = { id: "lead", role: "orchestrator" };
export const manager: Agent = { id: "m1", role: "manager" };
export const worker: Agent = { id: "w1", role: "worker" };
export const stranger: Agent = { id: "w2", role: "worker" };

/** One turn of a full hierarchy: two phases, two workers in the second. */
export const turn: readonly HistoryEntry[] = [
  systemMessage({ id: "sys", content: "" }),
  systemMessage({ id: "sys-w1", content: "", agent: worker }),
  memory({ id: "mem-m1", content: "", agent: manager }),
  userMessage({ id: "u1", content: "" }),
  attachment({ id: "up1", messageId: "u1", content: "" }),
  strategicPlan({ id: "plan", content: "", agent: lead }),
  task({ id: "tm0", content: "", agent: manager, from: lead, phaseId: 0 }),
  synthesis({ id: "syn0", content: "", agent: manager, phaseId: 0, taskId: "tm0" }),
  task({ id: "tm1", content: "", agent: manager, from: lead, phaseId: 1 }),
  delegation({ id: "del1", content: "", agent: manager, phaseId: 1, taskId: "tm1", to: worker }),
  task({ id: "tw1", content: "", agent: worker, from: manager, phaseId: 1, taskId: "tm1" }),
  task({ id: "tw2", content: "", agent: stranger, from: manager, phaseId: 1, taskId: "tm1" }),
  action({ id: "act1", agent: worker, taskId: "tw1", toolCalls: [call("x")] }),
  action({ id: "act2", agent: stranger, taskId: "tw2", toolCalls: [call("x")] }),
  result("obs2", stranger, "tw2"),
  result("obs1", worker, "tw1"),
  globalObservation({ id: "glob", content: "", agent: stranger }),
  final({ id: "fin1", content: "", agent: worker, phaseId: 1, taskId: "tw1" }),
  final({ id: "fin2", content: "", agent: stranger, phaseId: 1, taskId: "tw2" }),
];

/** Returns the ids that a filter shows of the turn, or of other entries. */
export function seen(
  filter: HistoryFilter,
  context: FilterContext = {},
  entries: readonly HistoryEntry[] = turn,
): string {
  return filterHistory(entries, filter, context)
    .map(({ id }) => id)
    .join(" ");
}

function call(id: string) {
  return { id, name: "read", arguments: "{}" };
}

function result(id: string, agent: Agent, taskId: string): HistoryEntry {
  const fields = { callId: "x", toolName: "read", outcome: "success", content: "" } as const;
  return observation({ id, agent, taskId, ...fields });
}
