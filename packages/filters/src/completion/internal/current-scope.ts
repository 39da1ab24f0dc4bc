import type { FilterContext, HistoryEntry } from "@agent-history/core";

/** What may be the current work of an agent, and whose. */
export interface CurrentScope {
  readonly entries: readonly HistoryEntry[];
  /** Names the turn, where it is known. */
  readonly context: FilterContext;
}

/**
 * Leaves out what cannot be the current work of an agent: entries of other turns that are no tasks. Reads two fields of each entry. Where
 * an entry names no turn, which one it belongs to depends on those before it, and nothing is left out.
 */
export function currentScope(
  entries: readonly HistoryEntry[],
  context: FilterContext,
): CurrentScope {
  let newest: string | undefined;
  let last: string | undefined;
  const begun = new Set<string>();
  for (const { turnId } of entries) {
    if (turnId === undefined) return { entries, context };
    if (turnId === last) continue;
    last = turnId;
    if (begun.has(turnId)) continue;
    begun.add(turnId);
    newest = turnId;
  }
  const wanted = context.turnId ?? newest;
  return {
    entries: entries.filter(({ type, turnId }) => turnId === wanted || type === "task"),
    context: { ...context, turnId: wanted },
  };
}
