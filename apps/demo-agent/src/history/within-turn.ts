import type { FilterContext, HistoryEntry, HistoryFilter } from "@agent-history/core";

import { summaryTurn } from "./summary-id.ts";

/**
 * Keeps a filter within the turn that is being answered, where others write to the thread at the same time: what they ask after its question
 * is not the question, and what an agent of that name did in another turn is not its work.
 */
export function withinTurn(filter: HistoryFilter): HistoryFilter {
  return {
    name: filter.name,
    query: (context) => filter.query(context),
    refine: (entries, context) => {
      const seen = filter.refine(entries, context);
      const asked = seen.findIndex(({ id }) => id === context.turnId);
      const kept = seen.filter(
        (entry, index) =>
          !isOfLaterTurn(entry, asked >= 0 && index > asked, context) &&
          !isOfOtherWork(entry, context),
      );
      return kept.length === seen.length ? seen : kept;
    },
  };
}

function isOfLaterTurn(entry: HistoryEntry, isLater: boolean, { turnId }: FilterContext): boolean {
  const isConversation = entry.type === "user_message" || entry.type === "assistant_message";
  return isConversation && isLater && entry.turnId !== turnId;
}

/** A summary in an agent's own view stands for what it did in one turn. */
function isOfOtherWork(entry: HistoryEntry, { turnId }: FilterContext): boolean {
  if (entry.type !== "summary" || entry.view?.startsWith("agent:") !== true) return false;
  return summaryTurn(entry.id) !== turnId;
}
