import type { HistoryEntry, HistoryStore, ReductionPlan } from "@agent-history/core";

import { isGone, quotesOf } from "./lay-out.ts";
import type { UnreadEntries } from "./unread-entries.ts";

/**
 * A planned view in its full length, with what stands for what was not read. A plan that only adds to its plan goes on in the same list, so that a call
 * writes what is new, however long the view is.
 */
export interface LaidView {
  readonly entries: HistoryEntry[];
  readonly unread: UnreadEntries;
}

/** Lists that wait for the next call of their slots. Each is taken by one call, which works on it alone. */
export interface LaidViews {
  /** Takes the list that was laid out for a plan, where it waits. */
  readonly take: (plan: ReductionPlan) => LaidView | undefined;
  /** Keeps a list for the next call; those that were kept longest ago go where all have too many places. */
  readonly keep: (plan: ReductionPlan, laid: LaidView) => void;
}

/** How many places the lists of a store have together: 8 MB. */
const MOST_PLACES = 1_000_000;

const laidOf = new WeakMap<HistoryStore, Map<ReductionPlan, LaidView>>();

/** The lists that were laid out of a store's threads in this process. */
export function laidViews(store: HistoryStore): LaidViews {
  const views = laidOf.get(store) ?? new Map<ReductionPlan, LaidView>();
  laidOf.set(store, views);
  return {
    take: (plan) => {
      const laid = views.get(plan);
      views.delete(plan);
      return laid;
    },
    keep: (plan, laid) => {
      views.set(plan, laid);
      let places = 0;
      for (const { entries } of views.values()) places += entries.length;
      for (const [oldest, { entries }] of views) {
        if (places <= MOST_PLACES) break;
        views.delete(oldest);
        places -= entries.length;
      }
    },
  };
}

/** Returns whether all gaps of a list that was laid out for a plan stand in the plans that add to it as they are: each names the entry behind it. */
export function isForLater(plan: ReductionPlan): boolean {
  const last = plan.decisions.at(-1);
  return last !== undefined && !isGone(last.action) && quotesOf(plan).length === 0;
}
