import { isInView } from "@agent-history/core";
import type { HistoryEntry, SummaryEntry } from "@agent-history/core";
import { baseName, entryText, fileWords } from "@agent-history/transcripts";

import type { DrawnCompaction, DrawnFact } from "../inspector-data.ts";
import { cellRuns } from "./draw-call.ts";

/** Finds the summaries among the rows that list what they cover, and checks which file names and numbers of the originals each contains. */
export function findCompactions(
  entries: readonly HistoryEntry[],
  tokens: readonly number[],
): readonly DrawnCompaction[] {
  const rows = new Map<string, number>();
  entries.forEach(({ id }, row) => rows.has(id) || rows.set(id, row));
  return entries.flatMap((entry, row): readonly DrawnCompaction[] => {
    if (entry.type !== "summary" || entry.covers === undefined) return [];
    const covered = coveredRows(entry, entries, rows).filter((one) => one !== row);
    const text = entryText(entry);
    const originals = covered.flatMap((one) => entries[one] ?? []);
    return [
      {
        row,
        covers: cellRuns(covered.map((one) => [one, 0])).map(([from, count]) => [from, count]),
        runs: entry.covers,
        tokensBefore: covered.reduce((sum, one) => sum + (tokens[one] ?? 0), 0),
        tokensAfter: tokens[row] ?? 0,
        basis: "named",
        facts: namedFacts(originals, text),
      },
    ];
  });
}

function coveredRows(
  { covers = [], view = "thread" }: SummaryEntry,
  entries: readonly HistoryEntry[],
  rows: ReadonlyMap<string, number>,
): readonly number[] {
  return covers.flatMap(({ from, to }) => {
    const [first, last] = [rows.get(from), rows.get(to)];
    if (first === undefined || last === undefined || last < first) return [];
    const isOf = (entry: HistoryEntry): boolean =>
      entry.id === from ||
      entry.id === to ||
      (isInView(entry, view) && entry.type !== "system_message");
    return entries
      .slice(first, last + 1)
      .flatMap((entry, index) => (isOf(entry) ? [first + index] : []));
  });
}

const MOST_FACTS = 200;

function namedFacts(originals: readonly HistoryEntry[], summary: string): readonly DrawnFact[] {
  const paths = new Set<string>();
  const numbers = new Set<string>();
  for (const text of originals.map(entryText)) {
    for (const path of fileWords(text)) paths.add(path);
    for (const [number] of text.matchAll(/(?<![\w.,-])\d[\d.,]*\d{2}(?![\w-])/g))
      numbers.add(number);
  }
  const factsOf = (kind: DrawnFact["kind"], found: ReadonlySet<string>): readonly DrawnFact[] =>
    [...found].slice(0, MOST_FACTS).map((text) => {
      return { kind, text, isKept: summary.includes(kind === "path" ? baseName(text) : text) };
    });
  return [...factsOf("path", paths), ...factsOf("number", numbers)];
}
