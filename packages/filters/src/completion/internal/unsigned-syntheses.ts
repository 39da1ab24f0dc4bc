import { SYNTHESIS } from "@agent-history/core";
import type { FilterContext, HistoryEntry } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";

import { currentTurn } from "../../internal/shared-clauses.ts";

/**
 * The syntheses that nobody signed and that end the work of a manager: of its phase and the current turn, written under
 * its task or after it.
 *
 * @param work - What the manager itself wrote for its task, the task included.
 */
export function unsignedSyntheses(
  entries: readonly HistoryEntry[],
  work: readonly HistoryEntry[],
  context: FilterContext,
): readonly HistoryEntry[] {
  const task = work.findLast(({ type }) => type === "task");
  const phaseId = context.phaseId ?? task?.phaseId;
  const syntheses = selectEntries(entries, {
    clauses: [
      {
        types: [SYNTHESIS],
        turn: currentTurn(context),
        unowned: true,
        ...(phaseId === undefined ? {} : { phases: [phaseId] }),
      },
    ],
    splitExchanges: true,
  });
  if (syntheses.length === 0) return [];
  const later = new Set(entries.slice(task === undefined ? 0 : entries.indexOf(task)));
  return syntheses.filter((synthesis) => {
    if (synthesis.taskId !== undefined && task !== undefined) return synthesis.taskId === task.id;
    return later.has(synthesis) && (phaseId !== undefined || synthesis.phaseId === undefined);
  });
}
