import { HistoryError } from "@agent-history/core";
import type { Decision, HistoryEntry, ReductionPlan, ReductionRequest } from "@agent-history/core";

import { withCompaction } from "./engine/compaction.ts";
import { carryOut, isGone, isKeptBy, recallsOf } from "./engine/write.ts";
import { repairAsPlanned } from "./engine/write.ts";
import { explainFailure, requireHistory } from "./internal/malformed-entry.ts";
import { rebuildBlocks } from "./recall/quotes.ts";

/**
 * Applies a plan to the history that it was made for and returns the remaining entries. Calls no model, scorer or counter; linear in the kept
 * entries. If the plan keeps everything, returns the same array. Recall blocks quote the originals; erased entries are left out.
 *
 * @param options - `contentName`: the one that the plan was made with.
 * @throws `HistoryError` with code `INVALID_OPTION` if the plan was made for other entries: kept or quoted entries have other content, or
 *   dropped runs begin or end with other ids. `INVALID_ENTRY` if an entry is malformed.
 */
export function applyPlan(
  given: readonly HistoryEntry[],
  plan: ReductionPlan,
  options: Pick<ReductionRequest, "contentName"> = {},
): readonly HistoryEntry[] {
  requireHistory(given);
  try {
    return applied(given, plan, options);
  } catch (error) {
    throw explainFailure(error, given);
  }
}

function applied(
  given: readonly HistoryEntry[],
  plan: ReductionPlan,
  options: Pick<ReductionRequest, "contentName">,
): readonly HistoryEntry[] {
  const { entries } = repairAsPlanned(withCompaction(given, plan.compaction), plan);
  const decisions = withoutErased(plan, entries);
  const isKept = isKeptBy(plan, options.contentName);
  let index = 0;
  let kept = 0;
  for (const { from, to, entryCount, action } of decisions) {
    const end = index + entryCount;
    if (entryCount > 0 && (entries[index]?.id !== from || entries[end - 1]?.id !== to)) {
      throw mismatch(index);
    }
    // Of dropped runs, only the first and last ids are known.
    for (index = isGone({ action }) ? end : index; index < end; index++) {
      if (!isKept(entries[index], kept)) throw mismatch(index);
      kept += 1;
    }
  }
  if (index !== entries.length) throw mismatch(index);
  return carryOut(entries, decisions, rebuildBlocks(plan, entries, options.contentName, mismatch));
}

/** Removes from dropped runs the entries that were quoted and later erased. Searches the history only if one of them is missing. */
function withoutErased(plan: ReductionPlan, entries: readonly HistoryEntry[]): readonly Decision[] {
  const { decisions } = plan;
  const planned = decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const quotes = new Set(recallsOf(plan).flatMap(({ quotes: ids }) => ids));
  if (planned === entries.length || quotes.size === 0) return decisions;
  for (const { id } of entries) quotes.delete(id);
  let erased = quotes.size;
  let entryIndex = 0;
  return decisions.map((decision, nth) => {
    const next = decisions[nth + 1]?.from;
    const at = entries.findIndex(({ id }, index) => index >= entryIndex && id === next);
    const left = (at < 0 ? entries.length : at) - entryIndex;
    const fewer = decision.entryCount - left;
    const isErased = decision.action.kind === "drop" && fewer > 0 && fewer <= erased;
    const entryCount = isErased ? left : decision.entryCount;
    if (isErased) erased -= fewer;
    const [from, to] = [entries[entryIndex]?.id, entries[entryIndex + entryCount - 1]?.id];
    entryIndex += entryCount;
    return isErased ? { ...decision, from: from ?? "", to: to ?? "", entryCount } : decision;
  });
}

function mismatch(index: number): HistoryError {
  return new HistoryError(
    `The plan was made for other entries: the history differs at position ${index}. Plan this history again.`,
    { code: "INVALID_OPTION", details: { option: "plan", position: index } },
  );
}
