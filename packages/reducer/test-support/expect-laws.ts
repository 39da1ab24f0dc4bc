import { groupExchanges, splitTurns } from "@agent-history/core";
import type { HistoryEntry, Reduction, TokenCounter, Viewer } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import type { Violation } from "@agent-history/core/check";
import { expect } from "vitest";

import { repairAsPlanned } from "../src/engine/write.ts";

/** Expects what every fit promises (L1 to L4, L6, L9, L15, L16). */
export function expectLaws(
  entries: readonly HistoryEntry[],
  { entries: fitted, plan }: Reduction,
  {
    window,
    counter,
    viewer,
  }: { readonly window: number; readonly counter: TokenCounter; readonly viewer?: Viewer },
): void {
  const { entries: repaired } = repairAsPlanned(entries, plan);
  const violations = checkHistory(fitted, { before: repaired, ...(viewer && { viewer }) });
  // An entry that a repair moved is not the newest by index: the newest of the given history is, and a prompt may begin with it.
  const isMoved = plan.repairs.length > 0;
  const others = new Set(isMoved ? ["L6", "L16"] : ["L6"]);
  const ids = new Set<string>();
  // Duplicates of entries that were not read are not recognized.
  const read = isMoved ? entries.slice(plan.repairedFrom) : entries.slice(-1);
  const firsts = read.filter(({ id }) => !ids.has(id) && ids.add(id));
  // With a duplicate id, it is ambiguous which entry is meant.
  const first = new Map(
    entries.toReversed().map(({ id }, index) => [id, entries.length - 1 - index]),
  );
  const twice = new Set(
    entries.filter(({ id }, index) => first.get(id) !== index).map(({ id }) => id),
  );
  const remaining = new Set(repaired.map(({ id }) => id));
  const newest = firsts.findLast(({ id }) => remaining.has(id));
  // A request is kept for a late result, which its call may have moved into another turn; there is no room for that turn's answer.
  const late = groupExchanges(repaired)
    .map((group) => (group.kind === "exchange" ? group.entries : [group.entry]))
    .find((members) => isMoved && members.some(({ id }) => id === newest?.id));
  const led = splitTurns(repaired, viewer && { viewer })
    .filter(({ entries: turn }) => turn.some((entry) => late?.some(({ id }) => id === entry.id)))
    .flatMap(({ entries: turn }) => turn);
  const isLead = ({ rule, entryId }: Violation): boolean =>
    rule === "request-without-answer" && led.some(({ id }) => id === entryId);
  const isBroken = (violation: Violation): boolean =>
    !others.has(violation.law) &&
    !(isMoved && violation.rule === "begins-with-answer") &&
    !(violation.law === "L15" && twice.has(violation.entryId)) &&
    !isLead(violation);
  expect(violations.filter(isBroken)).toEqual([]);
  if (newest !== undefined) expect(fitted.map(({ id }) => id)).toContain(newest.id);
  expect(violations.filter(({ rule }) => rule === "number-changed")).toEqual([]);
  const total = fitted.reduce(
    (sum, entry) => sum + counter.countEntry(entry),
    counter.countRequest(),
  );
  expect(total).toBeLessThanOrEqual(window);
  expect(plan.totalTokens).toBe(total);
  const covered = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  expect(covered).toBe(repaired.length);
  const tokensAfter = plan.decisions.reduce((sum, decision) => sum + decision.tokensAfter, 0);
  const { head, recalls = [] } = plan;
  const quoted = recalls.reduce((sum, { tokens }) => sum + tokens, head?.tokens ?? 0);
  expect(tokensAfter + quoted + plan.requestTokens).toBe(plan.totalTokens);
}
