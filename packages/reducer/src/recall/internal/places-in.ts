import type { HistoryEntry } from "@agent-history/core";

/** Finds the place of an entry by its id: where it stood before, else by looking through all, once. */
export function placesIn(
  entries: readonly HistoryEntry[],
): (id: string, hint?: number) => number | undefined {
  let places: Map<string, number> | undefined;
  return (id, hint = -1) => {
    if (entries[hint]?.id === id) return hint;
    places ??= new Map(entries.map((entry, place) => [entry.id, place]));
    return places.get(id);
  };
}
