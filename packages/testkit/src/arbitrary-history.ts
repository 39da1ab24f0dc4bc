import { countOption, HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import type * as fc from "fast-check";

import type { HistoryConstraints } from "./history-constraints.ts";
import { arbitraryHistoryScript, leastEntries } from "./internal/history-script.ts";
import { layOutHistory } from "./internal/lay-out-history.ts";

/**
 * Generates whole well-formed histories of an orchestrator, its managers and their workers, the empty one included.
 *
 * Within the log an agent's observations come after their action and before that agent's next entry; entries of other
 * agents may lie between (those without an agent count as one agent's). Every call is answered, except in an agent's
 * last action while the newest turn runs. Ids of entries are unique, ids of calls are used again, a source number means
 * one source. Agents, phases and odd ids recur in several turns. Times do not order. Shrinks to few turns, few steps and
 * short texts. Costs about a fifth of a millisecond.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a count is none, or `maxEntries` has no room for the turns.
 * @example
 * ```ts
 * import { arbitraryHistory } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const histories = fc.sample(arbitraryHistory({ turns: 2, withTurnIds: "all" }), 100);
 * histories.every((entries) => new Set(entries.flatMap((entry) => entry.turnId ?? [])).size === 2);
 * // => true
 * ```
 */
export function arbitraryHistory(
  constraints: HistoryConstraints = {},
): fc.Arbitrary<readonly HistoryEntry[]> {
  const maxEntries = countOption("maxEntries", constraints.maxEntries ?? 40);
  const turns = countOption("turns", constraints.turns ?? (constraints.running === true ? 1 : 0));
  const needed = leastEntries(turns, constraints.running === true);
  if (maxEntries < needed || turns === Infinity) {
    throw new HistoryError(
      `Expected \`maxEntries\` to be ${needed} or more for that many turns; got ${maxEntries}.`,
      { code: "INVALID_OPTION", details: { option: "maxEntries", received: maxEntries } },
    );
  }
  const canRun = maxEntries >= leastEntries(Math.max(turns, 1), true);
  const running = canRun ? constraints.running : false;
  const maxTurns = Math.min(4, Math.floor((maxEntries + (running === false ? 1 : 0)) / 2));
  const scripts = arbitraryHistoryScript(
    { ...constraints, ...(running === undefined ? {} : { running }) },
    maxTurns,
  );
  return scripts.map((script) => layOutHistory(script, maxEntries));
}
