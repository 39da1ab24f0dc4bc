import type { HistoryEntry, Viewer } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";

import { hasClearTurns } from "../oracle/has-clear-turns.ts";
import { readHistory } from "../oracle/read-history.ts";
import type { Breach } from "../oracle/trial.ts";

/** What the packages' own check says of a fit of a sound history: it must not find what the oracle does not. */
export function judgeByCore(
  given: readonly HistoryEntry[],
  fitted: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): readonly Breach[] {
  const violations = checkHistory(fitted, { before: given, ...(viewer && { viewer }) });
  // The check goes by the names of turns, the oracle by their indexes.
  const reading = readHistory(given, viewer?.agentId);
  const isNamedOnce = reading.turns.every(
    ({ entries }) => new Set(entries.flatMap(({ turnId }) => turnId ?? [])).size < 2,
  );
  const isClear = isNamedOnce && hasClearTurns(reading);
  return violations.flatMap(({ law, rule, entryId }) => {
    // In a log of many an agent's own task stays beside what the user asked.
    const isBesideTask = rule === "role-repeated" && given.some(({ type }) => type === "task");
    // What runs is judged by the oracle, which knows how far back it is looked for.
    if (rule === "running-exchange-lost") return [];
    return law === "L6" || (law === "L15" && (!isClear || isBesideTask))
      ? []
      : [{ law, rule: `checkHistory finds ${rule}`, at: entryId }];
  });
}
