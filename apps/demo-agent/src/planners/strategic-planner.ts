import type { HistoryFilter } from "@agent-history/core";
import { orchestratorHistoryFilter } from "@agent-history/filters";
import { withReplyForm } from "@agent-history/offline-model";
import * as z from "zod";

import { parseReply } from "./parse-reply.ts";
import type { OrchestratorPlanner } from "./planner.ts";
import { listWorkers } from "./worker-profile.ts";

const schema = z.object({
  goal: z.string().min(1),
  phases: z
    .array(z.object({ id: z.union([z.string().min(1), z.int()]), goal: z.string().min(1) }))
    .min(1)
    .max(5),
});

const INSTRUCTIONS = `You are the orchestrator of a team that answers questions about a folder of documents.
You see the conversation, never the documents. Plan how the newest question is answered.
Write the question so that it stands on its own ("it", "that one" and the like spelled out), and divide the work
into one to five phases. Each phase is given to a manager, who sees what the phases before it found, not the
conversation. Reply with one JSON object: {"goal": "…", "phases": [{"id": "…", "goal": "…"}]}
The workers that managers can send:`;

/**
 * Makes the orchestrator's planner: it turns the newest question into phases, each for one manager. A reply that is not a plan becomes
 * one phase with the question as its goal.
 *
 * @param options - `historyFilter`: what it is shown. Default: the orchestrator's, the last turns of the conversation.
 */
export function strategicPlanner(
  options: { readonly historyFilter?: HistoryFilter } = {},
): OrchestratorPlanner {
  const { historyFilter = orchestratorHistoryFilter() } = options;
  return {
    name: "strategic",
    historyFilter,
    plan: async ({ goal, workers, askModel }) => {
      const instructions = withReplyForm(
        `${INSTRUCTIONS}\n${listWorkers(workers)}`,
        "strategic-plan",
      );
      const reply = await askModel({ step: "strategic", instructions, historyFilter });
      const plan = parseReply(reply, schema) ?? { goal, phases: [{ id: "answer", goal }] };
      return { kind: "phases", ...plan };
    },
  };
}
