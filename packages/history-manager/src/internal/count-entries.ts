import type { AsyncTokenCounter, HistoryEntry, TokenCounter } from "@agent-history/core";

/** Counts entries for the store to keep beside them. A counter that must wait, or fails, holds up no write: then nothing is kept. */
export function countEntries(
  entries: readonly HistoryEntry[],
  counter: TokenCounter | AsyncTokenCounter,
): readonly number[] | undefined {
  const counts: number[] = [];
  for (const entry of entries) {
    const count = countNow(entry, counter);
    if (count === undefined) return undefined;
    counts.push(count);
  }
  return counts;
}

function countNow(
  entry: HistoryEntry,
  counter: TokenCounter | AsyncTokenCounter,
): number | undefined {
  try {
    const counted = counter.countEntry(entry);
    if (typeof counted === "number") return counted;
    counted.catch(ignore);
    return undefined;
  } catch {
    return undefined;
  }
}

function ignore(): void {}
