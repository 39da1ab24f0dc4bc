import type { Violation } from "../check-history.ts";
import type { HistoryEntry } from "../history-entry.ts";
import type { Source } from "../trace-entries.ts";

/** Finds violations of L6: a citation number means one source for ever, also against what was there before. */
export function checkNumbers(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
): readonly Violation[] {
  const given = numbersOf(before);
  const seen = new Map<number, string>();
  const found: Violation[] = [];
  for (const entry of entries) {
    for (const { number, id } of sourcesOf(entry)) {
      const known = seen.get(number);
      const was = given.get(number);
      if (known !== undefined && known !== id) {
        found.push(violation(entry, number, "number-reused", "stands for two sources"));
      } else if (was !== undefined && !was.has(id)) {
        found.push(violation(entry, number, "number-changed", "stood for another source before"));
      }
      if (known === undefined) seen.set(number, id);
    }
  }
  return found;
}

/** The sources of an entry; none where its type has none. */
export function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return entry.type === "observation" || entry.type === "global_observation"
    ? (entry.sources ?? [])
    : [];
}

function numbersOf(entries: readonly HistoryEntry[]): ReadonlyMap<number, ReadonlySet<string>> {
  const numbers = new Map<number, Set<string>>();
  for (const { number, id } of entries.flatMap(sourcesOf)) {
    const ids = numbers.get(number);
    if (ids === undefined) numbers.set(number, new Set([id]));
    else ids.add(id);
  }
  return numbers;
}

function violation(
  entry: HistoryEntry,
  number: number,
  rule: "number-reused" | "number-changed",
  what: string,
): Violation {
  return {
    law: "L6",
    rule,
    entryId: entry.id,
    message: `Citation number ${number} ${what}. Give a new source a new number; gaps are fine.`,
  };
}
