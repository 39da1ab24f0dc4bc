import { checkHistory } from "@agent-history/core";
import type { HistoryEntry, Reduction, TokenCounter } from "@agent-history/core";
import { expect } from "vitest";

import { mendAsPlanned } from "../src/internal/mend-as-planned.ts";

/** Expects what every fit promises (L1 to L4, L6, L9). */
export function expectLaws(
  entries: readonly HistoryEntry[],
  { entries: fitted, plan }: Reduction,
  { window, counter }: { readonly window: number; readonly counter: TokenCounter },
): void {
  const { entries: mended } = mendAsPlanned(entries, plan);
  const violations = checkHistory(fitted, { before: mended });
  // Whole turns and the newest entry have laws of their own (turn-laws); after damage and edits at any place they do not hold yet.
  const others = new Set<string>(["L6", "L15", "L16"]);
  expect(violations.filter(({ law }) => !others.has(law))).toEqual([]);
  expect(violations.filter(({ rule }) => rule === "number-changed")).toEqual([]);
  const total = fitted.reduce(
    (sum, entry) => sum + counter.countEntry(entry),
    counter.countRequest(),
  );
  expect(total).toBeLessThanOrEqual(window);
  expect(plan.totalTokens).toBe(total);
  const covered = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  expect(covered).toBe(mended.length);
  const tokensAfter = plan.decisions.reduce((sum, decision) => sum + decision.tokensAfter, 0);
  expect(tokensAfter + plan.requestTokens).toBe(plan.totalTokens);
}
