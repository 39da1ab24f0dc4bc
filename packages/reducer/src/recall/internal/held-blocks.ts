import type { PlanContinuation } from "@agent-history/core";

import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { Block } from "../../internal/seal-plan.ts";
import type { ContinuedFit, PlannerTools } from "../../recall.ts";
import { findQuoted } from "./find-quoted.ts";
import { keptWhole } from "./kept-whole.ts";
import { QUOTE_FORMAT, quoteBlock, sameBlock } from "./quote-block.ts";

/** What an earlier plan quotes and still may. */
export interface HeldBlocks {
  readonly head: Block | undefined;
  /** In the order of the prompt. */
  readonly blocks: readonly Block[];
  /** How many entries stand before the first block that is not as it was. */
  readonly unchanged: PlanContinuation;
}

/**
 * Takes over the blocks of an earlier plan whose place is held. One of which a quoted entry was edited quotes what it says now, and one that was
 * erased is left out.
 */
export function* heldBlocks(
  { continuation, context }: ContinuedFit,
  planner: PlannerTools,
): MaybeAsync<HeldBlocks> {
  const { earlier, entries, planned } = continuation;
  const kept = keptWhole(continuation, "edit");
  let unchanged: PlanContinuation = { entryCount: Infinity };
  const changeAt = (entryCount: number): void => {
    if (entryCount < unchanged.entryCount) unchanged = { entryCount, stoppedBy: "change" };
  };
  let head: Block | undefined;
  const blocks: Block[] = [];
  for (const found of findQuoted(earlier, entries, context.options, planner)) {
    const { at = planned, recall, block } = found;
    const before = entries[at];
    // What it stood before is gone, or was moved to where it is not shown, or not planned yet.
    if (before === undefined || !kept.has(before)) {
      changeAt(block?.at ?? at);
      continue;
    }
    // What is decided anew may be shown; what was moved is quoted where it stands now.
    const indexes = found.indexes.filter((index) => index < planned).toSorted((a, b) => a - b);
    const quoted = indexes.flatMap((index) => entries[index] ?? []);
    const isSame =
      found.isSame && recall.format === QUOTE_FORMAT && indexes.join() === found.indexes.join();
    if (!isSame) changeAt(at);
    if (quoted.length === 0) continue;
    const entry =
      sameBlock(isSame ? block : undefined, before) ?? quoteBlock(recall, quoted, before);
    const quotes = quoted.map(({ id }) => id);
    const tokens = isSame ? recall.tokens : yield* context.count(entry);
    const made = {
      ...recall,
      quotes,
      indexes: [...indexes, at],
      tokens,
      format: QUOTE_FORMAT,
    };
    const now = { recall: made, entry, at, quoted };
    if (recall.id === earlier.head?.id) head = now;
    else blocks.push(now);
  }
  return { head, blocks, unchanged };
}
