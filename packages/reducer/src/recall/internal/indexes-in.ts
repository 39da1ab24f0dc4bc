import type { HistoryEntry } from "@agent-history/core";

/** Finds the place of an entry by its id: where it stood before, else by looking through all, once. */
export function indexesIn(
  entries: readonly HistoryEntry[],
): (id: string, hint?: number) => number | undefined {
  let indexes: Map<string, number> | undefined;
  return (id, hint = -1) => {
    if (entries[hint]?.id === id) return hint;
    indexes ??= new Map(entries.map((entry, index) => [entry.id, index]));
    return indexes.get(id);
  };
}
