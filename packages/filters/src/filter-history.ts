import { applyCompactions } from "@agent-history/core";
import type { FilterContext, HistoryEntry, HistoryFilter } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";

/**
 * Returns what the agent of `context` may see of a whole history: the same entry objects, in order. Linear.
 *
 * With a store, run the query in the store instead, so that only visible entries are read:
 * `store.read(threadId, { query: filter.query(context) })`, then call `filter.refine`, if it exists.
 *
 * @param context - The agent and its scope. Overrides the filter's own values.
 * @throws `HistoryError` with code `INVALID_OPTION` if a limit in `context` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts
 * import { observation, task, userMessage, action } from "@agent-history/core";
 * import { filterHistory, workerHistoryFilter } from "@agent-history/filters";
 *
 * const worker = { id: "w1", role: "worker" } as const;
 * const history = [
 *   userMessage({ id: "u1", content: "How hot is it in Rome?" }),
 *   task({ id: "t1", content: "Find the temperature.", agent: worker }),
 *   action({ id: "a1", agent: worker, toolCalls: [{ id: "c1", name: "weather", arguments: "{}" }] }),
 *   observation({ id: "o1", agent: worker, callId: "c1", toolName: "weather", outcome: "success", content: "31 °C" }),
 * ];
 * filterHistory(history, workerHistoryFilter(), { agentId: "w1" }).map((entry) => entry.id);
 * // => ["t1", "a1", "o1"]
 * ```
 */
export function filterHistory(
  entries: readonly HistoryEntry[],
  filter: HistoryFilter,
  context: FilterContext = {},
): readonly HistoryEntry[] {
  const query = filter.query(context);
  const selected = selectEntries(applyCompactions(entries, query.view), query);
  return filter.refine?.(selected, context) ?? selected;
}
