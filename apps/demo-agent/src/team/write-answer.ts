import { orchestratorHistoryFilter } from "@agent-history/filters";
import { withReplyForm } from "@agent-history/offline-model";

import type { Assignment } from "../planners/assignment.ts";
import { requireText } from "../planners/require-text.ts";

const INSTRUCTIONS = `You answer the user's newest question from the syntheses that stand below it, and from nothing else.
Cite each statement by the mark of its source, [source3]. A quote stands on lines after "> ", exactly as it is. Say so
where the syntheses hold no answer.`;

/** Asks the orchestrator to answer the question from the syntheses of this turn. */
export async function writeAnswer({ askModel }: Assignment): Promise<string> {
  const instructions = withReplyForm(INSTRUCTIONS, "answer");
  const historyFilter = orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] });
  return requireText(await askModel({ step: "answer", instructions, historyFilter }));
}
