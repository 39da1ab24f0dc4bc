import { agentView } from "@agent-history/core";

import type { Turn } from "./turn.ts";

/** Compresses, between two phases, what the workers of the phase did under a task: whoever goes on in the next knows it in a few words. */
export async function compressWork(managerTaskId: string, turn: Turn): Promise<void> {
  const { entries } = await turn.history.read(
    { clauses: [{ types: ["task"], turn: { id: turn.turnId } }] },
    { originals: true, ...(turn.signal && { signal: turn.signal }) },
  );
  const workers = entries.flatMap((entry) =>
    entry.type === "task" && entry.taskId === managerTaskId ? [entry.agent.id] : [],
  );
  for (const agentId of workers) await turn.thread.compress(agentView(agentId));
}
