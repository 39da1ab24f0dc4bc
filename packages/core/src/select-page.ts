import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";
import { selectSteps } from "./select-entries.ts";
import type { SelectOptions } from "./select-entries.ts";
import { finish } from "./steps.ts";
import type { Steps } from "./steps.ts";

/** What a query shows, and where the page before it ends. */
export interface SelectedPage {
  readonly entries: readonly HistoryEntry[];
  /** The oldest entry within the limits, where they left out something older. */
  readonly next?: string;
}

/** Selects as `selectEntries` does, and tells where to read on from. Linear. */
export function selectPage(
  entries: readonly HistoryEntry[],
  query: HistoryQuery,
  options: SelectOptions = {},
): SelectedPage {
  return finish(selectPageSteps(entries, query, options));
}

/** Does what `selectPage` does, in steps of 10,000 entries, for callers that let other work run between two of them. */
export function* selectPageSteps(
  entries: readonly HistoryEntry[],
  query: HistoryQuery,
  options: SelectOptions = {},
): Steps<SelectedPage> {
  const selected = yield* selectSteps(entries, query, options);
  const { maxEntries = Infinity, maxTokens = Infinity } = query;
  if (maxEntries === Infinity && maxTokens === Infinity) return { entries: selected };
  const uncut: HistoryQuery = { ...query, splitExchanges: true };
  const within = yield* selectSteps(entries, uncut, options);
  const [oldest] = within;
  if (oldest === undefined) return { entries: selected };
  const whole = { ...uncut, maxEntries: Infinity, maxTokens: Infinity };
  const isCut = (yield* selectSteps(entries, whole, options)).length > within.length;
  return { entries: selected, ...(isCut ? { next: oldest.id } : {}) };
}
