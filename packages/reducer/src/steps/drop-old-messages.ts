import { worthOf } from "../internal/score-items.ts";
import type { ReductionItem, ReductionProposal, ReductionStep } from "../reduction-step.ts";

/**
 * Makes the step that drops earlier turns: without a scorer first what lies between their requests and answers, then these, oldest first;
 * with one whole turns, by the worth of their best part for their tokens.
 */
export function dropOldMessages(): ReductionStep {
  return {
    name: "drop-old-messages",
    *propose({ items }) {
      const old = items.filter(({ isOfThisTurn, isProtected }) => !isOfThisTurn && !isProtected);
      if (old.some(({ score }) => score !== undefined)) {
        yield* drops(byWorth(old), "of an earlier turn");
        return;
      }
      for (const isFirst of [true, false]) {
        yield* drops(
          old.filter(({ mayGoFirst }) => mayGoFirst === isFirst),
          "of an earlier turn",
        );
      }
    },
  };
}

/** Items of turns, the least worthy turn first. */
function byWorth(items: readonly ReductionItem[]): readonly ReductionItem[] {
  const turns = new Map<number, ReductionItem[]>();
  for (const item of items) {
    const turn = turns.get(item.turn);
    if (turn === undefined) turns.set(item.turn, [item]);
    else turn.push(item);
  }
  return [...turns.values()]
    .map((turn) => ({ turn, worth: worthOf(turn) }))
    .toSorted((one, other) => one.worth - other.worth)
    .flatMap(({ turn }) => turn);
}

/** Proposes to drop items, in order. */
export function* drops(
  items: readonly ReductionItem[],
  reason: string,
): Generator<ReductionProposal> {
  for (const item of items) if (!item.isDropped) yield { kind: "drop", item, reason };
}
