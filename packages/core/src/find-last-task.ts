import type { EntryTypeName } from "./entry-types.ts";
import { readOr } from "./internal/read-or.ts";

/**
 * Finds the last `task`: of the thread, or of one agent. Walks backward and stops at it.
 *
 * @param agentId - Whose task; without it, anybody's.
 * @returns Its index, or -1 where there is none.
 */
export function findLastTask(
  entries: readonly {
    readonly type: EntryTypeName;
    readonly agent?: { readonly id: string };
  }[],
  agentId?: string,
): number {
  return entries.findLastIndex((entry) =>
    readOr(
      false,
      () => entry.type === "task" && (agentId === undefined || entry.agent?.id === agentId),
    ),
  );
}
