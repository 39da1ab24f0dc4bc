import type { HistoryFilter } from "@agent-history/core";
import { withReplyForm } from "@agent-history/offline-model";
import * as z from "zod";

import { parseReply } from "./parse-reply.ts";
import type { ManagerPlanner } from "./planner.ts";
import { strategicDecomposerPlanner } from "./strategic-decomposer-planner.ts";
import { synthesesHistoryFilter } from "./syntheses-history-filter.ts";
import { listWorkers } from "./worker-profile.ts";

const schema = z.object({
  script: z
    .array(
      z.object({
        worker: z.string(),
        goal: z.string().min(1),
        calls: z
          .array(z.object({ tool: z.string().min(1), arguments: z.record(z.string(), z.json()) }))
          .min(1)
          .max(8),
      }),
    )
    .max(8),
});

const INSTRUCTIONS = `You are the manager of one phase. You see your task and what the phases before yours found. Write a script:
for each worker the very calls of tools to make; workers make them and decide nothing. At most eight steps, side by side.
Reply with one JSON object: {"script": [{"worker": "<key>", "goal": "…", "calls": [{"tool": "…", "arguments": {…}}]}]}
The workers:`;

/**
 * Makes a manager's planner that writes down each call, so that workers need no model. A reply that is not a script is planned again by the
 * decomposer.
 *
 * @param options - `historyFilter`: what it is shown. Default: the syntheses of the phases before, and its task.
 */
export function managerScriptPlanner(
  options: { readonly historyFilter?: HistoryFilter } = {},
): ManagerPlanner {
  const { historyFilter = synthesesHistoryFilter() } = options;
  const fallback = strategicDecomposerPlanner();
  return {
    name: "script",
    historyFilter,
    plan: async (assignment) => {
      const { workers, tools, askModel } = assignment;
      const catalogue = `${listWorkers(workers)}\nThe tools:\n${JSON.stringify(tools)}`;
      const instructions = withReplyForm(`${INSTRUCTIONS}\n${catalogue}`, "script");
      const reply = await askModel({ step: "script", instructions, historyFilter });
      const plan = parseReply(reply, schema);
      if (plan === undefined) return fallback.plan(assignment);
      return plan.script.map(({ worker, goal, calls }) => ({
        worker,
        goal,
        calls: calls.map((call) => ({
          tool: call.tool,
          arguments: JSON.stringify(call.arguments),
        })),
      }));
    },
  };
}
