import type { HistoryEntry } from "../history-entry.ts";
import type { HistoryQuery } from "../history-query.ts";
import { pairCalls } from "../pair-calls.ts";
import { selectPage } from "../select-page.ts";
import type { SelectedPage } from "../select-page.ts";
import { readOr } from "./read-or.ts";

/** How much of a log is looked at first, beyond what was asked for. */
const SPARE = 32;

/**
 * Selects the newest entries of a log, for a query that shows every entry up to a limit. Looks at no more of its end than tells which exchanges are cut: calls answer
 * the newest, so that what stands before changes no pair behind. Where a result has no call at all, or calls made calls, that may be the whole log.
 */
export function newestOf(log: readonly HistoryEntry[], query: HistoryQuery): SelectedPage {
  const { maxEntries = Infinity } = query;
  let length = (maxEntries === Infinity ? 0 : maxEntries) + SPARE;
  while (length < log.length) {
    const end = log.slice(-length);
    const page = selectPage(end, query);
    // Without a `next` nothing was left out: there may be room for more.
    if (page.next !== undefined && isWhole(end, page.next)) return page;
    length *= 4;
  }
  return selectPage(log, query);
}

/** Whether the exchanges of all entries from one on can be told from these alone. */
function isWhole(end: readonly HistoryEntry[], from: string): boolean {
  return readOr(false, () => {
    const { actionOf } = pairCalls(end);
    const first = end.findIndex(({ id }) => id === from);
    return end.every((entry, index) =>
      entry.type === "action"
        ? !entry.toolCalls.some(({ callerId }) => callerId !== undefined)
        : index < first || entry.type !== "observation" || actionOf.has(index),
    );
  });
}
