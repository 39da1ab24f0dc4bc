import type { Decision, HistoryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { Block } from "./seal-plan.ts";
import { isGone } from "./working-plan.ts";

/**
 * Does with entries what decisions about them say, and puts recall blocks before the entries that they stand before. Where all are kept and
 * nothing is quoted, they are given back by identity.
 *
 * @param blocks - In the order of the prompt.
 */
export function carryOut(
  entries: readonly HistoryEntry[],
  decisions: readonly Decision[],
  blocks: readonly Pick<Block, "recall" | "entry">[] = [],
): readonly HistoryEntry[] {
  const isWhole = decisions.every(({ action }) => action.kind === "keep");
  if (isWhole && blocks.length === 0) return entries;
  const kept: HistoryEntry[] = [];
  let index = 0;
  let next = 0;
  for (let nth = 0; nth < decisions.length; nth++) {
    const decision = decisions[nth];
    if (decision === undefined) continue;
    const { entryCount, action } = decision;
    const end = index + entryCount;
    if (action.kind === "summarize") kept.push(action.summary);
    for (index = isGone(action) ? end : index; index < end; index++) {
      const entry = entries[index];
      if (entry === undefined) continue;
      for (let block = blocks[next]; block?.recall.before === entry.id; block = blocks[next]) {
        kept.push(block.entry);
        next += 1;
      }
      kept.push(action.kind === "edit" ? editEntry(entry, action.edit) : entry);
    }
  }
  return kept;
}
