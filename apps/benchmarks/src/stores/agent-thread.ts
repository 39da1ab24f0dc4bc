import {
  action,
  assistantMessage,
  final,
  observation,
  task,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import type { Random } from "../messages/random.ts";

/** The worker whose view is read. */
export const VIEWER = "w1";
/** Entries of one turn. */
export const TURN = 10;

const ORCHESTRATOR = { id: "o", role: "orchestrator" } as const;
const WORKERS = [VIEWER, "w2"].map((id) => ({ id, role: "worker" }) as const);

/** Makes turns of ten entries: a question, a task for each of two workers, their calls, their answers, the answer; some 300 bytes of text each. */
export function agentTurns(first: number, count: number): readonly (readonly HistoryEntry[])[] {
  const random = seededRandom(first + 1);
  return Array.from({ length: count }, (_, index) => agentTurn(first + index, random));
}

function agentTurn(turn: number, random: Random): readonly HistoryEntry[] {
  const content = prose(random, 60);
  const stamp = (name: string): { id: string; createdAtMs: number; turnId: string } => ({
    id: `${turn}-${name}`,
    createdAtMs: 1_700_000_000_000 + turn,
    turnId: `turn-${turn}`,
  });
  return [
    userMessage({ ...stamp("question"), content }),
    ...WORKERS.map((agent) =>
      task({ ...stamp(`${agent.id}-task`), agent, from: ORCHESTRATOR, content }),
    ),
    ...WORKERS.flatMap((agent) => {
      const own = { agent, taskId: `${turn}-${agent.id}-task` };
      const call = { id: "call", name: "search", arguments: '{"query":"valve"}' };
      const answers = { callId: call.id, toolName: call.name, outcome: "success" } as const;
      return [
        action({ ...stamp(`${agent.id}-action`), ...own, toolCalls: [call] }),
        observation({ ...stamp(`${agent.id}-result`), ...own, ...answers, content }),
      ];
    }),
    ...WORKERS.map((agent) => final({ ...stamp(`${agent.id}-final`), agent, content })),
    assistantMessage({ ...stamp("answer"), agent: ORCHESTRATOR, content }),
  ];
}
