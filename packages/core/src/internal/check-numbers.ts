import type { AddViolation } from "../check-history.ts";
import type { HistoryEntry } from "../history-entry.ts";
import type { Source } from "../trace-entries.ts";

/** Finds violations of L6: a citation number means one source permanently, also against what was there before. */
export function checkNumbers(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
  add: AddViolation,
): void {
  const given = new Map<number, Set<string>>();
  for (const { number, id } of before.flatMap(sourcesOf)) {
    given.set(number, (given.get(number) ?? new Set()).add(id));
  }
  const seen = new Map<number, string>();
  for (const entry of entries) {
    for (const { number, id } of sourcesOf(entry)) {
      const isReused = (seen.get(number) ?? id) !== id;
      if (!seen.has(number)) seen.set(number, id);
      if (!isReused && given.get(number)?.has(id) !== false) continue;
      const rule = isReused ? "number-reused" : "number-changed";
      add("L6", rule, entry.id, `Citation number ${number} stands for another source too.`);
    }
  }
}

function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return ("sources" in entry && entry.sources) || [];
}
