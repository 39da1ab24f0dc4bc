import type { HistoryFilter } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { withReplyForm } from "@agent-history/offline-model";

import type { Assignment } from "./assignment.ts";
import type { WorkerMove, WorkerPlanner } from "./planner.ts";
import { requireText } from "./require-text.ts";

const INSTRUCTIONS = `You see your task and what you did for it. Call tools until you can do it, then report without calling any.
A report gives for each finding one line "<path>:<first line>-<last line> [source<number>]:" and below it the words
of the document, exactly, each line after "> ". Nothing that no source says; where nothing was found, say so.`;

const END = `You can call no more tools: report what you have.`;

/**
 * Makes a worker's planner by the pattern of reason and act: at each step the model calls tools or, when it is done, reports.
 *
 * @param options - `historyFilter`: what it is shown. Default: the worker's.
 */
export function reactPlanner(
  options: { readonly historyFilter?: HistoryFilter } = {},
): WorkerPlanner {
  const { historyFilter = workerHistoryFilter() } = options;
  return {
    name: "react",
    historyFilter,
    plan: async (assignment): Promise<WorkerMove> => {
      const { tools, askModel } = assignment;
      const instructions = instructionsFor(assignment);
      const reply = await askModel({ step: "react", instructions, historyFilter, tools });
      const { text = "", toolCalls = [] } = reply;
      if (toolCalls.length > 0 && tools.length > 0) return { kind: "act", text, toolCalls };
      return { kind: "finish", report: requireText(reply) };
    },
  };
}

function instructionsFor({ agent, workers, tools }: Assignment): string {
  const description = workers.map((worker) => worker.description).join("; ");
  const lines = [`You are ${agent.id}, a worker who ${description}.`, INSTRUCTIONS];
  return withReplyForm(
    [...lines, ...(tools.length === 0 ? [END] : [])].join("\n"),
    "tool-calls-or-report",
  );
}
