import type { HistoryEntry } from "@agent-history/core";

/** Entries that are rendered as one message. */
export type MessageRun = readonly [HistoryEntry, ...HistoryEntry[]];

/**
 * Splits entries into the runs that are one message each: neighbors that came in one message of this format, and the
 * neighboring observations among those that did not. Linear.
 *
 * @param isOfAnswer - Tells observations that did not, and that stand in an answer.
 */
export function messageRuns(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
  isOfAnswer: (observation: HistoryEntry) => boolean,
): readonly MessageRun[] {
  const runs: [HistoryEntry, ...HistoryEntry[]][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run !== undefined && isOneMessage(run[0], entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs;

  function isOneMessage(first: HistoryEntry, entry: HistoryEntry): boolean {
    if (isOwn(first) !== isOwn(entry)) return false;
    if (isOwn(first)) return first.origin?.message === entry.origin?.message;
    const areResults = first.type === "observation" && entry.type === "observation";
    return areResults && isOfAnswer(first) === isOfAnswer(entry);
  }
}
