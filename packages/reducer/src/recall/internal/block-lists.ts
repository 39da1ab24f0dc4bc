import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { Block } from "../../internal/seal-plan.ts";
import type { ContinuedFit, Planned, Planner } from "../../recall.ts";
import type { HeldBlocks } from "./held-blocks.ts";
import type { RecallSettings } from "./recall-settings.ts";

/** A fit that goes on and quotes. */
export interface Recalling {
  readonly fit: ContinuedFit;
  readonly planner: Planner;
  readonly settings: RecallSettings;
  readonly held: HeldBlocks;
}

/** What a prompt quotes. */
export interface Shown {
  readonly head: Block | undefined;
  readonly blocks: readonly Block[];
}

/** The blocks of a prompt in its order. */
function listOf({ head, blocks }: Shown): readonly Block[] {
  return head === undefined ? blocks : [head, ...blocks];
}

/** Tokens of blocks. */
export function tokensOf(shown: Shown): number {
  return listOf(shown).reduce((sum, { recall }) => sum + recall.tokens, 0);
}

/** Tokens of what a plan keeps, without its blocks. */
export function usedBy({ plan }: Pick<Planned, "plan">): number {
  return plan.totalTokens - plan.requestTokens;
}

/** Tells what stands in a prompt, as it is or quoted. */
export function shownTest(
  kept: ReadonlySet<HistoryEntry>,
  shown: Shown,
): (entry: HistoryEntry) => boolean {
  const quoted = new Set(listOf(shown).flatMap(({ recall }) => recall.quotes));
  return (entry) => kept.has(entry) || quoted.has(entry.id);
}

/** Writes down what a plan quotes, and how far the prompt is as it was. */
export function sealWith(
  planned: Planned,
  shown: Shown,
  { fit, planner, held }: Recalling,
): ReductionPlan {
  const { head } = shown;
  const blocks = listOf(shown);
  const lost = listOf(held).find((block, index) => blocks[index]?.entry !== block.entry);
  let { unchanged } = held;
  for (const changed of [lost, head?.entry === held.head?.entry ? undefined : head]) {
    if (changed === undefined || changed.at >= unchanged.entryCount) continue;
    unchanged = { entryCount: changed.at, stoppedBy: "cut" };
  }
  const recalls = shown.blocks.map(({ recall }) => recall);
  const plan = {
    ...planned.plan,
    ...(head && { head: head.recall }),
    ...(recalls.length > 0 && { recalls }),
    totalTokens: planned.plan.totalTokens + tokensOf(shown),
  };
  return planner.seal({ ...planned, plan }, fit, { blocks, unchanged });
}
