import type { HistoryFilter } from "@agent-history/core";
import { withReplyForm } from "@agent-history/offline-model";
import * as z from "zod";

import { conversationHistoryFilter } from "./conversation-history-filter.ts";
import { parseReply } from "./parse-reply.ts";
import type { OrchestratorPlan, OrchestratorPlanner } from "./planner.ts";
import { listWorkers } from "./worker-profile.ts";
import type { WorkerProfile } from "./worker-profile.ts";

/** Sends what contains one of its words, and none of the others, to a worker without asking the model. */
export interface RoutingRule {
  readonly worker: string;
  /** Whole words, in any case. */
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

/** Options of {@link workerRouterPlanner}. */
export interface WorkerRouterPlannerOptions {
  /** What it is shown. Default: the conversation alone. */
  readonly historyFilter?: HistoryFilter;
  /** Tried in order before the model is asked. Default: none. */
  readonly rules?: readonly RoutingRule[];
  /** Who gets what the model gives to nobody there is. Default: nobody; the user is asked what is meant. */
  readonly defaultWorker?: string;
}

const schema = z.object({ worker: z.string(), goal: z.string().min(1).optional() });

const INSTRUCTIONS = `You send a user's question to the one worker who is best placed to answer it. You see the conversation.
Write the question so that it stands on its own. Reply with one JSON object: {"worker": "<key>", "goal": "…", "reason": "…"}
The workers:`;

const UNSURE =
  "I am not sure who of my workers can answer that. What do you want to know, and of which files?";

/** Makes an orchestrator's planner that sends each question to one worker, without phases or managers: rules first, then the model. */
export function workerRouterPlanner(options: WorkerRouterPlannerOptions = {}): OrchestratorPlanner {
  const { historyFilter = conversationHistoryFilter(), rules = [], defaultWorker = "" } = options;
  return {
    name: "router",
    historyFilter,
    plan: async ({ goal, workers, askModel }): Promise<OrchestratorPlan> => {
      const ruled = rules.find((rule) => isKnown(rule.worker, workers) && applies(rule, goal));
      if (ruled !== undefined) return { kind: "worker", worker: ruled.worker, goal };
      const instructions = withReplyForm(
        `${INSTRUCTIONS}\n${listWorkers(workers)}`,
        "worker-choice",
      );
      const reply = await askModel({ step: "router", instructions, historyFilter });
      const choice = parseReply(reply, schema);
      const worker = [choice?.worker ?? "", defaultWorker].find((key) => isKnown(key, workers));
      if (worker === undefined) return { kind: "answer", text: UNSURE };
      return { kind: "worker", worker, goal: choice?.goal ?? goal };
    },
  };
}

function isKnown(key: string, workers: readonly WorkerProfile[]): boolean {
  return workers.some((worker) => worker.key === key);
}

function applies({ include, exclude = [] }: RoutingRule, goal: string): boolean {
  const words = new Set(goal.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const has = (word: string): boolean => words.has(word.toLowerCase());
  return include.some(has) && !exclude.some(has);
}
