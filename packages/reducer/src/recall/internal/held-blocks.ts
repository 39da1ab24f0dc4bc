import type { HistoryEntry, PlanContinuation } from "@agent-history/core";

import type { Block } from "../../internal/seal-plan.ts";
import type { Task } from "../../internal/task.ts";
import type { ContinuedFit, PlannerTools } from "../../recall.ts";
import { findQuoted } from "./find-quoted.ts";
import { keptWhole } from "./kept-whole.ts";
import { QUOTE_FORMAT, quoteBlock } from "./quote-block.ts";

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
  { continuation, request }: ContinuedFit,
  planner: PlannerTools,
): Task<HeldBlocks> {
  const { earlier, entries, planned, plan } = continuation;
  const kept = keptWhole(entries, plan.decisions, "edit");
  let unchanged: PlanContinuation = { entryCount: Infinity };
  let head: Block | undefined;
  const blocks: Block[] = [];
  for (const found of findQuoted(earlier, entries, request.options, planner)) {
    const { at = planned, recall, block } = found;
    const before = at < planned ? entries[at] : undefined;
    // What it stood before is gone, or was moved to where it is not shown.
    if (before === undefined || !kept.has(before)) {
      unchanged = {
        entryCount: Math.min(block?.at ?? at, unchanged.entryCount),
        stoppedBy: "change",
      };
      continue;
    }
    // What is decided anew may be shown.
    const places = found.places.filter((place) => place < planned);
    const quoted = places.flatMap((place) => entries[place] ?? []);
    const isSame =
      found.isSame && recall.format === QUOTE_FORMAT && quoted.length === found.quoted.length;
    const held = { recall, at, places, quoted };
    const now = isSame
      ? { ...held, entry: block?.entry ?? quoteBlock(recall, quoted, before) }
      : yield* requote(held, before, request.count);
    if (!isSame && at < unchanged.entryCount) unchanged = { entryCount: at, stoppedBy: "change" };
    if (now === undefined) continue;
    if (recall.id === earlier.head?.id) head = now;
    else blocks.push(now);
  }
  return { head, blocks, unchanged };
}

/** Quotes what is left, as it is now. */
function* requote(
  { recall, ...held }: Omit<Block, "entry">,
  before: HistoryEntry,
  count: ContinuedFit["request"]["count"],
): Task<Block | undefined> {
  if (held.quoted.length === 0) return undefined;
  const entry = quoteBlock(recall, held.quoted, before);
  const quotes = held.quoted.map(({ id }) => id);
  const tokens = yield* count(entry);
  return { ...held, entry, recall: { ...recall, quotes, tokens, format: QUOTE_FORMAT } };
}
