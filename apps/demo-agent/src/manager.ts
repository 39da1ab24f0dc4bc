import type { Agent } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";

import { ask, once, plan } from "./ask.ts";
import type { Team } from "./ask.ts";
import { MANAGER, TASKS } from "./prompts.ts";
import { runWorker } from "./worker.ts";

/** Does one phase: divides it into tasks, has each done by a worker, and sums up what they report. */
export async function runManager(history: HistoryManager, team: Team): Promise<void> {
  const { taskId = "" } = history.scope;
  const division = { instructions: MANAGER, schema: TASKS };
  const { tasks } = await plan(history, `${taskId}/plan`, division, team);
  for (const [index, content] of tasks.entries()) {
    const id = `${taskId}/${index + 1}`;
    const worker: Agent = { id: `worker of ${id}`, role: "worker" };
    const task = await once(team, id, "task", () =>
      history.delegate({ id, content, agent: worker }),
    );
    await runWorker(history.forTask(task), team);
  }
  await once(team, `${taskId}/synthesis`, "synthesis", async () => {
    const { text } = await ask(history, { instructions: MANAGER }, team);
    return history.addSynthesis({ id: `${taskId}/synthesis`, content: text });
  });
}
