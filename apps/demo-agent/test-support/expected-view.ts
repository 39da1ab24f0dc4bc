import type { Agent, HistoryEntry } from "@agent-history/core";

import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";

/** Says by the table of the design, and not by the filters, what of a log a role must be shown: this and nothing else. */
export function expectedView(
  log: readonly HistoryEntry[],
  { agent, context, step, turnId }: ModelCallRecord,
): readonly string[] {
  const seen = (entry: HistoryEntry): boolean => {
    switch (agent.role) {
      case "orchestrator":
        return orchestratorSees(entry, log, { step, turnId });
      case "manager":
        return entry.turnId === turnId && managerSees(entry, log, context.taskId ?? "");
      case "worker":
        return entry.turnId === turnId && workerSees(entry, context.taskId ?? "");
    }
  };
  return log.filter(seen).map(({ id }) => id);
}

function orchestratorSees(
  entry: HistoryEntry,
  log: readonly HistoryEntry[],
  { step, turnId }: { readonly step: string; readonly turnId: string },
): boolean {
  const { type, taskId, agent } = entry;
  const isOwn = (type === "strategic_plan" || type === "delegation") && isOrchestrator(agent);
  const given = log.find(({ id }) => id === taskId);
  const isReport = type === "final" && given?.type === "task" && isOrchestrator(given.from);
  if (type === "synthesis" || isOwn || isReport)
    return step === "answer" && entry.turnId === turnId;
  if (entry.type !== "user_message" && entry.type !== "assistant_message") return false;
  const turns = log.flatMap((each) =>
    each.type === "user_message" && each.turnId !== undefined ? [each.turnId] : [],
  );
  const maxTurns = step === "chat" || step === "router" ? 20 : 8;
  // Turns leave four at a time.
  const forgotten = Math.max(0, Math.ceil((turns.length - maxTurns) / 4) * 4);
  return turns.slice(forgotten).includes(entry.turnId ?? "");
}

function isOrchestrator(agent: Agent | undefined): boolean {
  return agent?.role === "orchestrator";
}

function managerSees(entry: HistoryEntry, log: readonly HistoryEntry[], taskId: string): boolean {
  const own = log.find(({ id }) => id === taskId);
  const given = log.filter((each) => each.type === "task" && each.taskId === taskId);
  if (entry.type === "synthesis") return entry.phaseId !== own?.phaseId;
  if (entry.type === "delegation") return entry.taskId === taskId;
  if (entry.type === "final") return given.some(({ id }) => id === entry.taskId);
  return entry.id === taskId;
}

function workerSees(entry: HistoryEntry, taskId: string): boolean {
  if (entry.type === "global_observation" || entry.id === taskId) return true;
  const isTrace = entry.type === "action" || entry.type === "observation" || entry.type === "error";
  return isTrace && entry.taskId === taskId;
}
