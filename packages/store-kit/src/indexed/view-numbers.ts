import type { ReadContext } from "./read-context.ts";
import type { Evidence } from "./reference-facts.ts";
import type { Reference } from "./reference.ts";
import { turnsOf } from "./thread-head.ts";

/** How turns and phases are numbered in a view. */
export type ViewNumbers = Pick<Evidence, "turnOf" | "newestTurn" | "phases" | "phaseOf">;

/** Returns the numbers of turns and phases in the view that is read. */
export function viewNumbers({ head, state }: ReadContext): ViewNumbers {
  const turns = turnsOf(head);
  const { from = Infinity, offset = 0 } = state?.turns ?? {};
  return {
    newestTurn: turns.newest - offset,
    phases: turns.phases,
    turnOf: ({ turn, plainTurn, position }) => {
      if (!head.hasUsers) return plainTurn ?? -1;
      if (state === undefined) return turn;
      return position >= from ? turn - offset : -1;
    },
    phaseOf: (reference) => phaseOf(reference, turns.newest, head.hasUsers),
  };
}

function phaseOf(reference: Reference, newest: number, hasUsers: boolean): number {
  const { turn, plainTurn, phase, plainPhase } = reference;
  if (hasUsers) return turn === newest ? phase : 0;
  return plainTurn === newest ? plainPhase : 0;
}
