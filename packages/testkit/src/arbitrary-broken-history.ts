import type { HistoryEntry } from "@agent-history/core";
import { HistoryError, countOption } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryHistory } from "./arbitrary-history.ts";
import { BREAKAGES } from "./breakage.ts";
import type { Breakage } from "./breakage.ts";
import type { HistoryConstraints } from "./history-constraints.ts";
import { breakHistory } from "./internal/break-history.ts";
import type { BreakageScript } from "./internal/break-history.ts";
import { breakableExchanges } from "./internal/breakable-exchanges.ts";

/** What broken histories to generate: the history as it was, and what happens to it. */
export interface BrokenHistoryConstraints extends HistoryConstraints {
  /** What may happen. Default: everything. */
  readonly breakages?: readonly Breakage[];
  /** How often at most, from 1. Default 3. */
  readonly maxBreakages?: number;
}

/** A history that is broken, and what happened to it, in order. */
export interface BrokenHistory {
  readonly entries: readonly HistoryEntry[];
  readonly breakages: readonly Breakage[];
}

/**
 * Generates histories in which one thing or more is broken; no breakage repairs another. A history that has nothing to
 * break in the wished way gets a few exchanges of two workers at its end, and these are broken.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a count is none, nothing may happen, or `maxEntries` has no
 * room: it takes 8 entries and `maxBreakages` more than the turns do.
 * @example
 * ```ts
 * import { arbitraryBrokenHistory } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const broken = fc.sample(arbitraryBrokenHistory({ breakages: ["lost-result"] }), 100);
 * broken.every(({ breakages }) => breakages[0] === "lost-result");
 * // => true
 * ```
 */
export function arbitraryBrokenHistory(
  constraints: BrokenHistoryConstraints = {},
): fc.Arbitrary<BrokenHistory> {
  const { breakages = BREAKAGES, maxEntries = 40, ...others } = constraints;
  const maxBreakages = countOption("maxBreakages", constraints.maxBreakages ?? 3);
  const room = countOption("maxEntries", maxEntries) - maxBreakages - BREAKABLE_SIZE;
  if (breakages.length === 0 || maxBreakages === 0 || room < 0) {
    throw new HistoryError(
      "Expected `breakages` to name one or more, `maxBreakages` to be 1 or more, and `maxEntries` to be at least 8 more than that.",
      { code: "INVALID_OPTION", details: { option: "breakages" } },
    );
  }
  const script = fc.record<BreakageScript>({
    breakage: fc.constantFrom(...breakages),
    choice: fc.nat({ max: 999 }),
    otherChoice: fc.nat({ max: 999 }),
  });
  const scripts = fc.array(script, { minLength: 1, maxLength: maxBreakages });
  return fc
    .tuple(arbitraryHistory({ ...others, maxEntries: room }), scripts)
    .map(([entries, wanted]) => {
      const broken = breakHistory(entries, wanted);
      if (broken.breakages.length > 0) return broken;
      return breakHistory([...entries, ...breakableExchanges(entries)], wanted);
    });
}

const BREAKABLE_SIZE = 8;
