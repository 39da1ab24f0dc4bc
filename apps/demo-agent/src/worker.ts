import { toToolSet } from "@agent-history/ai-sdk";
import { defaultHistoryFilter } from "@agent-history/filters";
import type { HistoryManager } from "@agent-history/history-manager";

import type { Team } from "./ask.ts";
import { RECALL, WORKER } from "./prompts.ts";
import { runTask } from "./tool-loop.ts";

/** Does one task with the team's tools. In a recall phase it also searches and reads the originals of the whole thread: what prompts no longer hold is still in the store. */
export async function runWorker(history: HistoryManager, team: Team): Promise<void> {
  const { tools } = team;
  if (history.scope.phaseId !== "recall") {
    return runTask(history, { instructions: WORKER, tools }, team);
  }
  const recall = await toToolSet(history.recallTools({ filter: defaultHistoryFilter() }));
  return runTask(history, { instructions: WORKER + RECALL, tools: { ...tools, ...recall } }, team);
}
