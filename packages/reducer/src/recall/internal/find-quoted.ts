import type { HistoryEntry, ReductionPlan, ReductionRequest } from "@agent-history/core";

import { recallsOf } from "../../internal/seal-plan.ts";
import type { Block } from "../../internal/seal-plan.ts";
import { isGone } from "../../internal/working-plan.ts";
import type { PlannerTools } from "../../recall.ts";

/** A block of a plan, with what of it stands in a history. */
export interface FoundBlock extends Pick<Block, "recall" | "quoted"> {
  /** The block as it was made, where the plan was made in this process. */
  readonly block: Block | undefined;
  /** Where what it quotes stands. */
  readonly indexes: readonly number[];
  /** Where what it stands before stands. */
  readonly at: number | undefined;
  /** Everything that it quotes stands there as it was. */
  readonly isSame: boolean;
  /** The index of the first entry that it quotes and that says something else now. */
  readonly changedAt: number | undefined;
}

/** Finds what a plan quotes in a history. Looks at what is quoted; at all of the history only where that has moved. */
export function findQuoted(
  plan: ReductionPlan,
  entries: readonly HistoryEntry[],
  { contentName }: Pick<ReductionRequest, "contentName">,
  { blocksOf, quoteName }: Pick<PlannerTools, "blocksOf" | "quoteName">,
): readonly FoundBlock[] {
  const indexOf = indexesIn(entries);
  const known = blocksOf(plan);
  let next = 0;
  for (const { action, entryCount } of plan.decisions) if (!isGone(action)) next += entryCount;
  return recallsOf(plan).map((recall, index) => {
    const block = known[index];
    const { indexes: hints = [] } = recall;
    const entryIndexes: number[] = [];
    const quoted: HistoryEntry[] = [];
    let changedAt: number | undefined;
    for (const [nth, id] of recall.quotes.entries()) {
      const entryIndex = indexOf(id, hints[nth]);
      const entry = entryIndex === undefined ? undefined : entries[entryIndex];
      const isSame =
        entry === undefined ||
        entry === block?.quoted[nth] ||
        quoteName(entry, contentName) === plan.hashes[next + nth];
      if (!isSame) changedAt ??= entryIndex;
      if (entryIndex === undefined || entry === undefined) continue;
      entryIndexes.push(entryIndex);
      quoted.push(entry);
    }
    next += recall.quotes.length;
    const isSame = changedAt === undefined && quoted.length === recall.quotes.length;
    return {
      recall,
      block,
      at: indexOf(recall.before, hints.at(-1)),
      indexes: entryIndexes,
      quoted,
      isSame,
      changedAt,
    };
  });
}

/** Finds the place of an entry by its id: where it stood before, else by looking through all, once. */
function indexesIn(
  entries: readonly HistoryEntry[],
): (id: string, hint?: number) => number | undefined {
  let indexes: Map<string, number> | undefined;
  return (id, hint = -1) => {
    if (entries[hint]?.id === id) return hint;
    indexes ??= new Map(entries.map((entry, index) => [entry.id, index]));
    return indexes.get(id);
  };
}
