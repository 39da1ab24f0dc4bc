import type { HistoryFilter } from "@agent-history/core";
import { withReplyForm } from "@agent-history/offline-model";

import { conversationHistoryFilter } from "./conversation-history-filter.ts";
import type { OrchestratorPlanner } from "./planner.ts";
import { requireText } from "./require-text.ts";

const INSTRUCTIONS = `You talk with a user about a folder of documents. You cannot look anything up: answer from what was
said in this conversation, keep its citations ([source3]) as they are, and say so where it holds no answer.`;

/**
 * Makes a planner that plans nothing: it answers from the conversation, without tools, managers or workers.
 *
 * @param options - `historyFilter`: what it is shown. Default: the conversation alone.
 */
export function chatPlanner(
  options: { readonly historyFilter?: HistoryFilter } = {},
): OrchestratorPlanner {
  const { historyFilter = conversationHistoryFilter() } = options;
  return {
    name: "chat",
    historyFilter,
    plan: async ({ askModel }) => {
      const instructions = withReplyForm(INSTRUCTIONS, "conversation");
      const reply = await askModel({ step: "chat", instructions, historyFilter });
      return { kind: "answer", text: requireText(reply) };
    },
  };
}
