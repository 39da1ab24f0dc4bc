import { countOption } from "./count-option.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";
import type { HistoryQuery } from "./history-query.ts";
import { matchClause } from "./internal/match-clause.ts";
import { threadFacts } from "./internal/thread-facts.ts";
import { upperBoundTokens } from "./internal/upper-bound-tokens.ts";
import { pairCalls } from "./pair-calls.ts";

/** How a limit in tokens is measured. */
export interface SelectOptions {
  /** Tokens of one entry. Default: the bytes of its JSON, an upper bound for byte-level encodings. */
  readonly countEntry?: (entry: HistoryEntry) => number;
}

/**
 * Selects what a query shows: the entries that meet at least one clause, then the range, then the newest within the limits. The result
 * is a subsequence of `entries`, the entries themselves; where nothing is left out it is `entries`. Linear.
 *
 * @param entries - A whole history, with the compactions of the query's view applied (`applyCompactions`).
 * @throws `HistoryError` with code `INVALID_QUERY` where a limit is not a count, `NOT_FOUND` where `after` or `before` is not in the history.
 *
 * @example
 * ```ts
 * import { assistantMessage, selectEntries, userMessage } from "@agent-history/core";
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
  options: SelectOptions = {},
): readonly HistoryEntry[] {
  const shown = matchClauses(entries, query);
  const start = query.after === undefined ? 0 : indexOfId(entries, "after", query.after) + 1;
  const end =
    query.before === undefined ? entries.length : indexOfId(entries, "before", query.before);
  const first = Math.max(start, firstWithinLimits(entries, shown, { query, end, options }));
  for (const index of shown.keys()) {
    if (index < first || index >= end) shown[index] = false;
  }
  if (query.splitExchanges !== true) hideCutExchanges(entries, shown);
  return shown.includes(false) ? entries.filter((_, index) => shown[index]) : entries;
}

function matchClauses(entries: readonly HistoryEntry[], query: HistoryQuery): boolean[] {
  const facts = threadFacts(entries);
  const direct = query.clauses.filter((clause) => clause.attachedToShown === undefined);
  const conditions = direct.map((clause) => matchClause(clause, facts, query.view));
  const shown = entries.map((_, index) => conditions.some((condition) => condition(index)));
  const attached = query.clauses.filter((clause) => clause.attachedToShown === true);
  if (attached.length === 0) return shown;

  const attachedConditions = attached.map((clause) => matchClause(clause, facts, query.view));
  const messages = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (shown[index] === true && entry.type === "user_message") messages.add(entry.id);
  }
  return entries.map(
    (entry, index) =>
      shown[index] === true ||
      (entry.type === "attachment" &&
        messages.has(entry.messageId) &&
        attachedConditions.some((condition) => condition(index))),
  );
}

/** The index of the oldest entry that the limits leave, walking backward and stopping at the first that does not fit. */
function firstWithinLimits(
  entries: readonly HistoryEntry[],
  shown: readonly boolean[],
  range: { readonly query: HistoryQuery; readonly end: number; readonly options: SelectOptions },
): number {
  const { query, end, options } = range;
  let entriesLeft = countOption("maxEntries", query.maxEntries ?? Infinity, "INVALID_QUERY");
  let tokensLeft = countOption("maxTokens", query.maxTokens ?? Infinity, "INVALID_QUERY");
  if (entriesLeft === Infinity && tokensLeft === Infinity) return 0;
  const { countEntry = upperBoundTokens } = options;
  for (let index = end - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined || shown[index] !== true) continue;
    entriesLeft -= 1;
    if (tokensLeft !== Infinity) tokensLeft -= countEntry(entry);
    if (entriesLeft < 0 || tokensLeft < 0) return index + 1;
  }
  return 0;
}

function hideCutExchanges(entries: readonly HistoryEntry[], shown: boolean[]): void {
  const { actionOf } = pairCalls(entries);
  const cut = new Set<number>();
  for (const [index, actionIndex] of actionOf) {
    if (shown[index] !== shown[actionIndex]) cut.add(actionIndex);
  }
  if (cut.size === 0) return;
  for (const [index, actionIndex] of actionOf) if (cut.has(actionIndex)) shown[index] = false;
  for (const actionIndex of cut) shown[actionIndex] = false;
}

function indexOfId(
  entries: readonly HistoryEntry[],
  option: "after" | "before",
  id: string,
): number {
  const index = entries.findIndex((entry) => entry.id === id);
  if (index >= 0) return index;
  throw new HistoryError(
    `Expected \`${option}\` to be the id of an entry of this history. Read again without it, or by the id of an entry that is there.`,
    { code: "NOT_FOUND", details: { option, entryId: id } },
  );
}
