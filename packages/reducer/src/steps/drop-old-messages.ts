import type { ReductionItem, ReductionProposal, ReductionStep } from "../reduction-step.ts";

/**
 * Makes the step that drops messages and whole exchanges of earlier turns: the lowest score first, or, without a scorer, oldest first.
 */
export function dropOldMessages(): ReductionStep {
  return {
    name: "drop-old-messages",
    *propose({ items }) {
      const old = items.filter(({ isOfThisTurn, isProtected }) => !isOfThisTurn && !isProtected);
      yield* drops(byScore(old), "of an earlier turn");
    },
  };
}

function byScore(items: readonly ReductionItem[]): readonly ReductionItem[] {
  if (items.every(({ score }) => score === undefined)) return items;
  return items.toSorted((one, other) => (one.score ?? 0) - (other.score ?? 0));
}

/** Proposes to drop items, in order. */
export function* drops(
  items: readonly ReductionItem[],
  reason: string,
): Generator<ReductionProposal> {
  for (const item of items) if (!item.isDropped) yield { kind: "drop", item, reason };
}
