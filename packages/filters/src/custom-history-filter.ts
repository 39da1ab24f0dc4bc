import type { FilterContext, HistoryEntry, HistoryFilter, HistoryQuery } from "@agent-history/core";

/** Options of {@link customHistoryFilter}. */
export interface CustomHistoryFilterOptions {
  /** The filter's name in traces and plans. */
  readonly name: string;
  /** Returns the query for a thread. Default: everything, with the compactions of the whole thread. */
  readonly query?: ((context: FilterContext) => HistoryQuery) | undefined;
  /** Returns what the agent sees of the entries read. Default: all of them. */
  readonly refine?:
    | ((entries: readonly HistoryEntry[], context: FilterContext) => readonly HistoryEntry[])
    | undefined;
}

/**
 * Creates a custom filter from a query, a function on entries, or both.
 *
 * The function may separate a tool call from its result; `checkHistory` of core finds that, `repairHistory` repairs it.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { customHistoryFilter, filterHistory } from "@agent-history/filters";
 *
 * const questionsOnly = customHistoryFilter({
 *   name: "questions-only",
 *   query: () => ({ clauses: [{ types: ["user_message"] }] }),
 * });
 * const history = [
 *   userMessage({ id: "u1", content: "Why?" }),
 *   assistantMessage({ id: "a1", content: "Because." }),
 * ];
 * filterHistory(history, questionsOnly).map(({ id }) => id);
 * // => ["u1"]
 * ```
 */
export function customHistoryFilter(options: CustomHistoryFilterOptions): HistoryFilter {
  const { name, query = (): HistoryQuery => ({ clauses: [{}], view: "thread" }), refine } = options;
  return { name, query, ...(refine && { refine }) };
}
