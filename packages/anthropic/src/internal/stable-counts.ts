import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

/**
 * Returns the places in a prompt where it is stable, as how many of its entries stand before: what the call before sent, or else what is settled; and what stands before the newest recall
 * block. Linear.
 */
export function stableCounts(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
): readonly number[] {
  const blocks = new Set([plan.head, ...(plan.recalls ?? [])].map((recall) => recall?.id));
  const until = Math.min(plan.settledUntil, plan.continued?.entryCount ?? Infinity);
  let index = 0;
  let count = 0;
  for (const { entryCount, action } of plan.decisions) {
    const within = Math.min(entryCount, until - index);
    if (within <= 0) break;
    const kept = { keep: within, edit: within, summarize: 1, drop: 0 }[action.kind];
    for (let left = kept; left > 0; left -= 1) {
      while (blocks.has(entries[count]?.id)) count += 1;
      count += 1;
    }
    index += within;
  }
  const newest = plan.recalls?.at(-1)?.id;
  const block = entries.findLastIndex(({ id }) => id === newest);
  return newest === undefined || block < 0 ? [count] : [count, block];
}
