import type { FilterContext, HistoryEntry, HistoryFilter, HistoryQuery } from "@agent-history/core";

/** Options of {@link customHistoryFilter}. */
export interface CustomHistoryFilterOptions {
  /** Names the filter in traces and plans. */
  readonly name: string;
  /** Says what is read of a thread. Default: everything, with the compactions of the whole thread. */
  readonly query?: ((context: FilterContext) => HistoryQuery) | undefined;
  /** Returns what the agent sees of what was read. Default: all of it. */
  readonly refine?:
    | ((entries: readonly HistoryEntry[], context: FilterContext) => readonly HistoryEntry[])
    | undefined;
}

/**
 * Makes a filter of your own: a query, any function on entries, or both.
 *
 * A function may cut an exchange in two; `checkHistory` of core finds it, `repairHistory` repairs it.
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
