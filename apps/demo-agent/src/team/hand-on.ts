import type { TaskEntry } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";

import { entriesOf } from "./given-step.ts";
import type { GivenStep } from "./given-step.ts";
import { stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";

/**
 * Hands the steps of a phase to their workers, all in one write: whoever goes on after this process was killed finds the whole
 * of the manager's plan, or none of it.
 */
export async function handOn(
  scoped: HistoryManager,
  under: TaskEntry,
  steps: readonly GivenStep[],
  turn: Turn,
): Promise<readonly TaskEntry[]> {
  const entries = steps.flatMap((given, index) =>
    entriesOf(given, under, { id: `${under.id}/${index + 1}`, sources: turn.sources }),
  );
  const kept = await scoped.append(entries, stoppable(turn));
  return kept.filter((entry) => entry.type === "task");
}

/** Returns the tasks that an earlier process has handed on under a task. */
export function handedOn({ kept }: Turn, under: TaskEntry): readonly TaskEntry[] {
  return [...kept.values()].filter(
    (entry): entry is TaskEntry => entry.type === "task" && entry.taskId === under.id,
  );
}
