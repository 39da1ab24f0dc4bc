import type { HistoryEntry, StoredEntryProblem } from "@agent-history/core";
import { decodeEntries } from "@agent-history/core/schema";

/** A row of the log; without a text where it is missing. */
export interface LogRow {
  readonly position: number;
  readonly json?: string;
  readonly tokens?: string;
  readonly rowEnd?: number;
}

/** An entry that was read, with its row. */
export interface ReadEntry {
  readonly position: number;
  readonly entry: HistoryEntry;
  /** Counts by counter. */
  readonly tokens?: readonly (readonly [counter: string, count: number])[] | undefined;
}

/** Decodes rows; one that is missing is a problem like one that is broken. */
export function decodeRows(rows: readonly LogRow[]): {
  readonly entries: readonly ReadEntry[];
  readonly problems: readonly StoredEntryProblem[];
} {
  const entries: ReadEntry[] = [];
  const problems: StoredEntryProblem[] = [];
  for (const { position, json, tokens } of rows) {
    if (json === undefined) {
      problems.push({ position, kind: "broken", reason: "The row is missing." });
      continue;
    }
    const decoded = decodeEntries([json]);
    for (const problem of decoded.problems) problems.push({ ...problem, position });
    for (const entry of decoded.entries) {
      const counts = tokens === undefined ? undefined : JSON.parse(tokens);
      entries.push({ position, entry, tokens: counts });
    }
  }
  return { entries, problems };
}
