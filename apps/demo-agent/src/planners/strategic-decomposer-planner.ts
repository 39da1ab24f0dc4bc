import type { HistoryFilter } from "@agent-history/core";
import { managerHistoryFilter } from "@agent-history/filters";
import { withReplyForm } from "@agent-history/offline-model";
import * as z from "zod";

import { parseReply } from "./parse-reply.ts";
import type { ManagerPlanner } from "./planner.ts";
import { listWorkers } from "./worker-profile.ts";

const schema = z.object({
  steps: z.array(z.object({ worker: z.string(), goal: z.string().min(1) })).max(8),
});

const INSTRUCTIONS = `You are the manager of one phase. You see your task and what the phases before yours found, never the
conversation or a document. Divide your task into steps that workers can do side by side, at most eight. A worker sees
its own step and nothing else, so each goal must stand on its own: name the files and lines it is about.
Reply with one JSON object: {"steps": [{"worker": "<key>", "goal": "…"}]}
The workers:`;

/**
 * Makes a manager's planner: it divides a phase into goals for workers, who find their own way. A reply that is not a plan becomes one
 * step for each worker, with the phase's goal.
 *
 * @param options - `historyFilter`: what it is shown. Default: the manager's.
 */
export function strategicDecomposerPlanner(
  options: { readonly historyFilter?: HistoryFilter } = {},
): ManagerPlanner {
  const { historyFilter = managerHistoryFilter() } = options;
  return {
    name: "decomposer",
    historyFilter,
    plan: async ({ goal, workers, askModel }) => {
      const instructions = withReplyForm(`${INSTRUCTIONS}\n${listWorkers(workers)}`, "steps");
      const reply = await askModel({ step: "decomposer", instructions, historyFilter });
      return parseReply(reply, schema)?.steps ?? workers.map(({ key }) => ({ worker: key, goal }));
    },
  };
}
