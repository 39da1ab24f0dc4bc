import type { HistoryEntry } from "../history-entry.ts";

/** Returns whether nothing that an entry holds throws when it is read: what is thrown over such entries is no error of theirs. */
export function canBeRead(entry: HistoryEntry): boolean {
  try {
    valuesIn(entry);
    return true;
  } catch {
    return false;
  }
}

/** Reads all that an entry holds, itself included, at any depth. */
export function valuesIn(entry: HistoryEntry): ReadonlySet<unknown> {
  const held = new Set<unknown>([entry]);
  for (const value of held) {
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) held.add(inner);
  }
  return held;
}
