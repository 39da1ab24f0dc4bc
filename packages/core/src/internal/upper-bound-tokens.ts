import type { HistoryEntry } from "../history-entry.ts";

const remembered = new WeakMap<HistoryEntry, number>();

/** Returns the UTF-8 bytes of an entry's JSON: a byte-level encoding never makes more tokens than bytes. Counted once for each entry. */
export function upperBoundTokens(entry: HistoryEntry): number {
  const known = remembered.get(entry);
  if (known !== undefined) return known;
  const bytes = jsonBytes(entry);
  remembered.set(entry, bytes);
  return bytes;
}

/** Not representable as JSON: never fits. */
function jsonBytes(entry: HistoryEntry): number {
  try {
    return new TextEncoder().encode(JSON.stringify(entry)).length;
  } catch {
    return Infinity;
  }
}
