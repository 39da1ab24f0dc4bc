import { action, assistantMessage, observation, task, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

const ORCHESTRATOR = { id: "o", role: "orchestrator" } as const;

/** Makes turns of eight entries: a question, a task for each of two workers, their calls, the answer. */
export function agentTurns(count: number): readonly (readonly HistoryEntry[])[] {
  return Array.from({ length: count }, (_, turn) => {
    const base = (name: string) => ({ id: `${turn}-${name}`, createdAtMs: turn });
    const workers = ["w1", "w2"].map((id) => ({ id, role: "worker" }) as const);
    return [
      userMessage({ ...base("question"), content: `question ${turn}` }),
      ...workers.flatMap((agent) => {
        const taskId = `${turn}-${agent.id}`;
        const own = { agent, taskId };
        const call = { id: "call", name: "search", arguments: "{}" };
        const result = { callId: "call", toolName: "search", outcome: "success" } as const;
        return [
          task({ ...base(agent.id), agent, from: ORCHESTRATOR, content: "Search." }),
          action({ ...base(`${agent.id}-action`), ...own, toolCalls: [call] }),
          observation({ ...base(`${agent.id}-result`), ...own, ...result, content: "found" }),
        ];
      }),
      assistantMessage({ ...base("answer"), agent: ORCHESTRATOR, content: `answer ${turn}` }),
    ];
  });
}
