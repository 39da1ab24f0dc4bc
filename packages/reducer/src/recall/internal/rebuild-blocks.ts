import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, ReductionRequest } from "@agent-history/core";

import { blocksOf, quoteName } from "../../internal/seal-plan.ts";
import type { Block } from "../../internal/seal-plan.ts";
import { findQuoted } from "./find-quoted.ts";
import { QUOTE_FORMAT, quoteBlock, sameBlock } from "./quote-block.ts";

/**
 * Builds the blocks of a plan from the originals: the same bytes as when it was made. An entry that was erased is left out.
 *
 * @param mismatch - The error where an entry says something else now, by its index.
 */
export function rebuildBlocks(
  plan: ReductionPlan,
  entries: readonly HistoryEntry[],
  options: Pick<ReductionRequest, "contentName">,
  mismatch: (index: number) => HistoryError,
): readonly Pick<Block, "recall" | "entry">[] {
  return findQuoted(plan, entries, options, { blocksOf, quoteName }).flatMap(
    ({ recall, block, quoted, at = -1, isSame, changedAt }) => {
      if (recall.format !== QUOTE_FORMAT) throw otherFormat(recall.format);
      if (changedAt !== undefined) throw mismatch(changedAt);
      const before = entries[at];
      if (before === undefined) throw mismatch(entries.length);
      if (quoted.length === 0) return [];
      const entry = sameBlock(isSame ? block : undefined, before);
      return [{ recall, entry: entry ?? quoteBlock(recall, quoted, before) }];
    },
  );
}

function otherFormat(format: string): HistoryError {
  return new HistoryError(
    `Expected quotes in the form ${QUOTE_FORMAT}, got ${JSON.stringify(format)}: plan this history again.`,
    { code: "INVALID_OPTION", details: { option: "plan" } },
  );
}
