import type { HistoryEntry } from "../history-entry.ts";

/** Returns whether every field of an entry can be read without a throw. */
export function canBeRead(entry: HistoryEntry): boolean {
  try {
    valuesIn(entry);
    return true;
  } catch {
    return false;
  }
}

/** Reads all values of an entry at any depth. */
export function valuesIn(entry: HistoryEntry): ReadonlySet<unknown> {
  const held = new Set<unknown>([entry]);
  for (const value of held) {
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) held.add(inner);
  }
  return held;
}
