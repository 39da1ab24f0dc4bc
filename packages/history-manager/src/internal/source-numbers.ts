import { GLOBAL_OBSERVATION, OBSERVATION } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { UnnumberedSource } from "../tool-call-result.ts";

/** The numbers that sources have, by their ids. They begin at 1. */
export interface SourceNumbers {
  /** The number that is given next. */
  readonly next: () => number;
  /** Leaves out all numbers below one. */
  readonly beginAt: (number: number) => void;
  /** Forgets which source has which number; none of the numbers is given again. */
  readonly forget: () => void;
  /** Takes the numbers that entries carry. */
  readonly learn: (entries: readonly HistoryEntry[]) => void;
  /** Returns each source the number it has, or the next that is free. Takes none: what is not written is offered again. */
  readonly offer: () => (source: UnnumberedSource) => number;
}

/** Begins without any. */
export function sourceNumbers(): SourceNumbers {
  const numbers = new Map<string, number>();
  let next = 1;
  return {
    next: () => next,
    beginAt: (number) => {
      next = Math.max(next, number);
    },
    forget: () => numbers.clear(),
    learn: (entries) => {
      for (const entry of entries) {
        if (entry.type !== OBSERVATION && entry.type !== GLOBAL_OBSERVATION) continue;
        for (const { id, number } of entry.sources ?? []) {
          if (!numbers.has(id)) numbers.set(id, number);
          next = Math.max(next, number + 1);
        }
      }
    },
    offer: () => {
      const offered = new Map<string, number>();
      return ({ id }) => {
        const number = numbers.get(id) ?? offered.get(id) ?? next + offered.size;
        if (!numbers.has(id)) offered.set(id, number);
        return number;
      };
    },
  };
}
