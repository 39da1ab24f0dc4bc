import type { Violation } from "../check-history.ts";
import type { HistoryEntry } from "../history-entry.ts";
import type { Source } from "../trace-entries.ts";

/** Finds violations of L6: a citation number means one source for ever, also against what was there before. */
export function checkNumbers(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
): readonly Violation[] {
  const given = new Map<number, Set<string>>();
  for (const { number, id } of before.flatMap(sourcesOf)) {
    given.set(number, (given.get(number) ?? new Set()).add(id));
  }
  const seen = new Map<number, string>();
  return entries.flatMap((entry) =>
    sourcesOf(entry).flatMap(({ number, id }): readonly Violation[] => {
      const isReused = (seen.get(number) ?? id) !== id;
      const isChanged = given.get(number)?.has(id) === false;
      if (!seen.has(number)) seen.set(number, id);
      if (!isReused && !isChanged) return [];
      const rule = isReused ? "number-reused" : "number-changed";
      const message = `Citation number ${number} stands for another source too.`;
      return [{ law: "L6", rule, entryId: entry.id, message }];
    }),
  );
}

function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return ("sources" in entry && entry.sources) || [];
}
