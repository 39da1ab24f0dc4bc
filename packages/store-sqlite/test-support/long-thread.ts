import {
  action,
  assistantMessage,
  final,
  observation,
  task,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

const ORCHESTRATOR = { id: "o", role: "orchestrator" } as const;

/** Makes a thread of turns of ten entries: a question, a task for each of two workers, their calls, their answers, the answer. */
export function longThread(length: number, characters = 200): readonly HistoryEntry[] {
  const log: HistoryEntry[] = [];
  for (let turn = 0; log.length < length; turn++) log.push(...turnOf(turn, "x".repeat(characters)));
  return log.slice(-length);
}

function turnOf(turn: number, text: string): readonly HistoryEntry[] {
  const stamp = (name: string) => ({
    id: `${turn}-${name}`,
    createdAtMs: turn,
    turnId: `turn-${turn}`,
  });
  const workers = ["w1", "w2"].map((id) => ({ id, role: "worker" }) as const);
  return [
    userMessage({ ...stamp("question"), content: text }),
    ...workers.map((agent) =>
      task({ ...stamp(`${agent.id}-task`), agent, from: ORCHESTRATOR, content: text }),
    ),
    ...workers.flatMap((agent) => {
      const own = { agent, taskId: `${turn}-${agent.id}-task` };
      const call = { id: "call", name: "search", arguments: '{"query":"box"}' };
      return [
        action({ ...stamp(`${agent.id}-action`), ...own, toolCalls: [call] }),
        observation({
          ...stamp(`${agent.id}-result`),
          ...own,
          callId: call.id,
          toolName: call.name,
          outcome: "success",
          content: text,
        }),
      ];
    }),
    ...workers.map((agent) => final({ ...stamp(`${agent.id}-final`), agent, content: text })),
    assistantMessage({ ...stamp("answer"), agent: ORCHESTRATOR, content: text }),
  ];
}
