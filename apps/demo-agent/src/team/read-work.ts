import type { HistoryEntry } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";

import { stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** Reads all that an agent wrote under its task, word for word. */
export async function readWork(
  history: HistoryManager,
  turn: Turn,
): Promise<readonly HistoryEntry[]> {
  const { agent, taskId } = history.scope;
  const query = {
    clauses: [
      {
        turn: { id: turn.turnId },
        ...(agent && { agent: agent.id }),
        ...(taskId !== undefined && { task: taskId }),
      },
    ],
    splitExchanges: true,
  };
  return (await history.read(query, { originals: true, ...stoppable(turn) })).entries;
}
