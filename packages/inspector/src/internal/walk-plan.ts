import { repairHistory } from "@agent-history/core";
import type { Decision, HistoryEntry, ReductionPlan } from "@agent-history/core";
import { withCompaction } from "@agent-history/reducer";

/** A plan's decisions, mapped to the entries that its fit received. */
export interface WalkedPlan {
  /** The entries with their decisions, in prompt order. */
  readonly steps: readonly WalkedEntry[];
  /** Entries that were removed as invalid before the fit. */
  readonly repaired: readonly HistoryEntry[];
  /** Entries that a provider's summary replaced. */
  readonly compacted: readonly HistoryEntry[];
  /** Set if the plan was made for other entries; nothing is drawn then. */
  readonly isOther: boolean;
}

export interface WalkedEntry {
  readonly entry: HistoryEntry;
  readonly decision: Decision;
  /** The index of the decision in its plan. */
  readonly nth: number;
}

/** Maps each decision of a plan to its entries. `given` may have grown since the plan was made. Linear. */
export function walkPlan(given: readonly HistoryEntry[], plan: ReductionPlan): WalkedPlan {
  const planned = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const view = withCompaction(given, plan.compaction);
  const then = view.slice(0, planned + removedBy(plan));
  const walked = plan.repairs.length === 0 ? then : repairHistory(then).entries;
  const steps: WalkedEntry[] = [];
  let index = 0;
  for (const [nth, decision] of plan.decisions.entries()) {
    const end = index + decision.entryCount;
    const [first, last] = [walked[index]?.id, walked[end - 1]?.id];
    const isHere = first === decision.from && last === decision.to;
    if (decision.entryCount > 0 && !isHere)
      return { steps: [], repaired: [], compacted: [], isOther: true };
    for (; index < end; index++) {
      const entry = walked[index];
      if (entry !== undefined) steps.push({ entry, decision, nth });
    }
  }
  const left = new Set(steps.map(({ entry }) => entry.id));
  const repaired = plan.repairs.length === 0 ? [] : then.filter(({ id }) => !left.has(id));
  const seen = new Set(view);
  const compacted = view === given ? [] : given.filter((entry) => !seen.has(entry));
  return { steps, repaired, compacted, isOther: false };
}

/** Returns the number of entries that repairs removed before the decisions, minus added ones. */
function removedBy({ repairs }: ReductionPlan): number {
  const counts: Partial<Record<string, number>> = {
    "dropped-duplicate": 1,
    "dropped-orphan": 1,
    "added-result": -1,
  };
  return repairs.reduce((sum, { kind }) => sum + (counts[kind] ?? 0), 0);
}
