import { SHORT_LENGTH, chooseByWorth, isMessage } from "../internal/choose-by-worth.ts";
import { keyOf } from "../internal/score-items.ts";
import type {
  ReductionItem,
  ReductionProposal,
  ReductionSituation,
  ReductionStep,
} from "../reduction-step.ts";

/** Why an earlier turn goes, where nothing is scored. */
export const DROPPED_WITH_TURN = { step: "drop-old-messages", reason: "of an earlier turn" };

/**
 * Makes the step that drops earlier turns: without a scorer first what lies between their requests and answers, then these, oldest first;
 * with one what says least for its length, where a message that another of its turn keeps is shortened to a line.
 */
export function dropOldMessages(): ReductionStep {
  return {
    name: DROPPED_WITH_TURN.step,
    *propose(situation) {
      const old = situation.items.filter(
        ({ isOfThisTurn, isProtected }) => !isOfThisTurn && !isProtected,
      );
      if (old.some(({ score }) => score !== undefined)) {
        yield* byWorth(old, situation);
        return;
      }
      for (const isFirst of [true, false]) {
        yield* drops(
          old.filter(({ mayGoFirst }) => mayGoFirst === isFirst),
          DROPPED_WITH_TURN.reason,
        );
      }
    },
  };
}

/**
 * Proposes to drop what is not chosen, the least worthy first; then to shorten what is only a part of its turn; and where that is not enough, to
 * drop on.
 */
function* byWorth(
  old: readonly ReductionItem[],
  situation: ReductionSituation,
): Generator<ReductionProposal> {
  const items = old.filter(({ isDropped }) => !isDropped);
  const together = items.reduce((sum, { tokens }) => sum + tokens, 0);
  const { whole, short } = chooseByWorth(items, together - situation.excess, situation);
  const leastFirst = items.toSorted((one, other) => keyOf(one) - keyOf(other));
  yield* drops(
    leastFirst.filter((item) => !whole.has(item) && !short.has(item)),
    LESS,
  );
  for (const item of leastFirst.filter((one) => short.has(one))) {
    for (const entry of item.entries.filter(isMessage)) {
      const edit = { text: { head: SHORT_LENGTH, tail: 0 } };
      yield {
        kind: "edit",
        entry,
        edit,
        reason: "a part of a turn of which another is worth more",
      };
    }
  }
  // A turn goes by the best of it.
  const best = new Map<number, number>();
  for (const item of leastFirst) best.set(item.turn, keyOf(item));
  yield* drops(
    leastFirst.toSorted((one, other) => (best.get(one.turn) ?? 0) - (best.get(other.turn) ?? 0)),
    LESS,
  );
}

const LESS = "of an earlier turn, worth less for its length";

/** Proposes to drop items, in order. */
export function* drops(
  items: readonly ReductionItem[],
  reason: string,
): Generator<ReductionProposal> {
  for (const item of items) if (!item.isDropped) yield { kind: "drop", item, reason };
}
