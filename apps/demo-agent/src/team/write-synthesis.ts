import { managerHistoryFilter } from "@agent-history/filters";
import { withReplyForm } from "@agent-history/offline-model";

import type { Assignment } from "../planners/assignment.ts";
import { requireText } from "../planners/require-text.ts";

const INSTRUCTIONS = `You are the manager of one phase. You see your task and what your workers report. Sum up what they found for your task:
keep each finding's line "<path>:<first line>-<last line> [source<number>]:" and its quote exactly as they are, best first,
each once, and leave out what has nothing to do with the task. Say so where nothing was found.`;

/** Asks a manager to sum up its phase from the reports of its workers. */
export async function writeSynthesis({ askModel }: Assignment): Promise<string> {
  const instructions = withReplyForm(INSTRUCTIONS, "synthesis");
  const historyFilter = managerHistoryFilter();
  return requireText(await askModel({ step: "synthesis", instructions, historyFilter }));
}
