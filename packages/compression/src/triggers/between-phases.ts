import type { HistoryEntry } from "@agent-history/core";

import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires between two phases: after the `synthesis` that ends one, and while the next has only been given out (a `task`, a
 * `delegation`). What carries no phase is not looked at.
 */
export function betweenPhases(): CompressionTrigger {
  return ({ entries }) => {
    const marked = entries.filter(
      ({ phaseId, type }) => phaseId !== undefined && type !== "summary",
    );
    const worked = marked.findLastIndex((entry) => !isGivenOut(entry));
    const last = marked[worked];
    if (last === undefined) return false;
    const isEnded = last.type === "synthesis";
    const hasNext = marked.slice(worked + 1).some(({ phaseId }) => phaseId !== last.phaseId);
    return isEnded || hasNext;
  };
}

function isGivenOut({ type }: HistoryEntry): boolean {
  return type === "task" || type === "delegation" || type === "strategic_plan";
}
