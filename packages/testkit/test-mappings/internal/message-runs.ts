import type { HistoryEntry } from "@agent-history/core";

/** Entries that are rendered as one message. */
export type MessageRun = readonly [HistoryEntry, ...HistoryEntry[]];

/**
 * Splits entries into the runs that are one message each: neighbours that came in one message of this format, and the
 * neighbouring observations among those that did not. Linear.
 */
export function messageRuns(
  format: string,
  entries: readonly HistoryEntry[],
): readonly MessageRun[] {
  const runs: [HistoryEntry, ...HistoryEntry[]][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run !== undefined && isOneMessage(format, run[0], entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function isOneMessage(format: string, first: HistoryEntry, entry: HistoryEntry): boolean {
  const isOwn = first.origin?.format === format;
  if (isOwn !== (entry.origin?.format === format)) return false;
  return isOwn
    ? first.origin?.message === entry.origin?.message
    : first.type === "observation" && entry.type === "observation";
}
