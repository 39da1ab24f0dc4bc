import { outermostActions, pairCalls } from "./group-exchanges.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { HistoryError, countOption } from "./history-error.ts";
import type { HistoryQuery, QueryClause } from "./history-query.ts";
import { MAX_QUERY_IDS } from "./history-store.ts";
import { clauseContext, matchClause } from "./match-clause.ts";
import type { ClauseContext, Condition } from "./match-clause.ts";
import { overReadable, readOr } from "./over-readable.ts";
import { jsonBytes } from "./request-load.ts";

/**
 * Selects the entries that a query returns: the entries that meet at least one clause, then the range, then the newest within the limits. The result
 * is a subsequence of `entries`, not copies; if nothing is left out, it is `entries` itself. Linear.
 *
 * @param entries - A whole history, with the compactions of the query's view applied (`applyCompactions`).
 * @throws `HistoryError` with code `INVALID_QUERY` if `clauses` or `ids` is not an array, there are too many ids or a limit is not a non-negative integer or `Infinity`, `NOT_FOUND` where `after` or `before` is not in the history.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { selectEntries } from "@agent-history/core/kit";
 *
 * const history = [
 *   userMessage({ id: "u1", content: "Hello" }),
 *   assistantMessage({ id: "a1", content: "Hi" }),
 *   userMessage({ id: "u2", content: "Goodbye" }),
 * ];
 * selectEntries(history, { clauses: [{ lastTurns: { count: 1 } }] }).map((entry) => entry.id);
 * // => ["u2"]
 * ```
 */
export function selectEntries(
  entries: readonly HistoryEntry[],
  query: HistoryQuery,
): readonly HistoryEntry[] {
  return selectPage(entries, query).entries;
}

/** What a query shows, and where the previous page ends. */
export interface SelectedPage {
  readonly entries: readonly HistoryEntry[];
  /** The oldest entry within the limits; set only if they left out an older one. */
  readonly next?: string;
}

/** Like `selectEntries`, and also returns where the previous page ends. Linear. */
export function selectPage(entries: readonly HistoryEntry[], query: HistoryQuery): SelectedPage {
  return overReadable(entries, (readable) => selectReadable(readable, query));
}

function selectReadable(entries: readonly HistoryEntry[], query: HistoryQuery): SelectedPage {
  const shown = shownByClauses(clauseContext(entries), query);
  const start = indexOf(entries, query.after) + 1;
  const end = query.before === undefined ? entries.length : indexOf(entries, query.before);
  const limit = firstWithinLimits(entries, shown.slice(0, end), query);
  const isCut = shown.slice(start, limit).includes(true);
  shown.fill(false, 0, Math.max(start, limit)).fill(false, end);
  if (!shown.includes(false)) return { entries };
  const oldest = entries[shown.indexOf(true)];
  if (query.wholeExchanges === true) hideCutExchanges(outermostActions(pairCalls(entries)), shown);
  const selected = entries.filter((_, index) => shown[index]);
  return { entries: selected, ...(isCut && oldest !== undefined && { next: oldest.id }) };
}

/** Tells for each entry whether it meets a clause. */
export function shownByClauses(context: ClauseContext, { clauses, view }: HistoryQuery): boolean[] {
  const { entries } = context;
  if (!Array.isArray(clauses)) {
    throw new HistoryError("Expected `clauses` to be an array.", { code: "INVALID_QUERY" });
  }
  requireFewIds(clauses);
  const conditions = (isAboutShown: boolean): readonly Condition[] =>
    clauses
      .filter(({ attachedToShown = false }) => attachedToShown === isAboutShown)
      .map((clause) => matchClause(clause, context, view));
  const direct = conditions(false);
  const attached = conditions(true);
  const shown = entries.map((_, index) => direct.some((isMet) => isMet(index)));
  if (attached.length === 0) return shown;
  const messages = new Set<string | undefined>();
  for (const [index, { type, id }] of entries.entries()) {
    if (shown[index] === true && type === "user_message") messages.add(id);
  }
  return entries.map(
    (entry, index) =>
      shown[index] === true ||
      (entry.type === "attachment" &&
        messages.has(entry.messageId) &&
        attached.some((isMet) => isMet(index))),
  );
}

function requireFewIds(clauses: readonly QueryClause[]): void {
  const ids = clauses.flatMap((clause) => clause.ids ?? []);
  const isList = clauses.every((clause) => clause.ids === undefined || Array.isArray(clause.ids));
  if (isList && ids.length <= MAX_QUERY_IDS) return;
  const received = isList ? `${ids.length} ids` : "no list";
  throw new HistoryError(
    `Expected \`ids\` to list at most ${MAX_QUERY_IDS} ids in one query, got ${received}.`,
    { code: "INVALID_QUERY", details: { option: "ids" } },
  );
}

/** Index of the oldest entry within the limits; walks backward and stops at the first entry that does not fit. */
export function firstWithinLimits(
  entries: readonly HistoryEntry[],
  shown: readonly boolean[],
  { maxEntries = Infinity, maxBytes = Infinity }: HistoryQuery,
): number {
  let entriesLeft = countOption("maxEntries", maxEntries, "INVALID_QUERY");
  let bytesLeft = countOption("maxBytes", maxBytes, "INVALID_QUERY");
  if (entriesLeft === Infinity && bytesLeft === Infinity) return 0;
  return (
    1 +
    shown.findLastIndex((isShown, index) => {
      const entry = entries[index];
      if (!isShown || entry === undefined) return false;
      entriesLeft -= 1;
      if (bytesLeft !== Infinity) bytesLeft -= readOr(Infinity, () => jsonBytes(entry));
      return entriesLeft < 0 || bytesLeft < 0;
    })
  );
}

/** Hides exchanges that are not shown whole. */
export function hideCutExchanges(
  firstOf: ReadonlyMap<number, number>,
  shown: boolean[],
  from = 0,
): void {
  const cut = new Set<number>();
  for (const [index, first] of firstOf)
    if (shown[from + index] !== shown[from + first]) cut.add(first);
  for (const [index, first] of firstOf) {
    if (cut.has(first)) shown[from + index] = shown[from + first] = false;
  }
}

/** Index of the entry that a bound names; -1 without a bound. */
function indexOf(entries: readonly HistoryEntry[], id: string | undefined): number {
  if (id === undefined) return -1;
  const index = entries.findIndex((entry) => entry.id === id);
  if (index >= 0) return index;
  throw new HistoryError("Expected `after` and `before` to be ids of entries of this history.", {
    code: "NOT_FOUND",
    details: { entryId: id },
  });
}
