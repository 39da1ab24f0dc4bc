import { HistoryError, countOption, groupExchanges, overReadable } from "@agent-history/core";
import type { Exchange, FilterContext, HistoryEntry } from "@agent-history/core";

import { currentWork } from "./internal/current-work.ts";

/** Options of {@link findLoop}. */
export interface FindLoopOptions extends FilterContext {
  /** How many identical exchanges are a loop. An integer of at least 2. Default 3. */
  readonly repetitions?: number | undefined;
  /** How many of the newest exchanges are checked. Default 5. */
  readonly depth?: number | undefined;
}

/** A loop: the same calls with the same results, repeatedly. */
export interface Loop {
  /** The tools called. */
  readonly toolNames: readonly string[];
  /** The ids of the identical actions, oldest first. */
  readonly actionIds: readonly string[];
}

/**
 * Finds a loop: the agent's newest answered exchange of its current turn and task is identical (calls, arguments, results) to others among its newest ones.
 *
 * @returns `undefined` if there is no loop.
 * @throws `HistoryError` with code `INVALID_OPTION` if `repetitions` is not an integer of at least 2, or `depth` is not a non-negative integer or `Infinity`.
 */
export function findLoop(
  entries: readonly HistoryEntry[],
  options: FindLoopOptions = {},
): Loop | undefined {
  const repetitions = countOption("repetitions", options.repetitions ?? 3);
  const depth = countOption("depth", options.depth ?? 5);
  if (repetitions < 2) {
    throw new HistoryError(`Expected \`repetitions\` to be at least 2; got ${repetitions}.`, {
      code: "INVALID_OPTION",
      details: { option: "repetitions" },
    });
  }
  const work = overReadable(entries, (readable) => currentWork(readable, options));
  const exchanges = groupExchanges(work).filter(
    (group): group is Exchange => group.kind === "exchange" && group.unanswered.length === 0,
  );
  const newest = exchanges.slice(Math.max(0, exchanges.length - depth));
  const last = newest.at(-1);
  if (last === undefined) return undefined;
  const signature = signatureOf(last);
  if (signature === undefined) return undefined;
  const alike = newest.filter((exchange) => signatureOf(exchange) === signature);
  if (alike.length < repetitions) return undefined;
  return {
    toolNames: last.rounds.flatMap(({ action }) => action.toolCalls.map(({ name }) => name)),
    actionIds: alike.map(({ action }) => action.id),
  };
}

/** Returns the calls and results of an exchange as text; `undefined` if they cannot be serialized. */
function signatureOf({ rounds, observations }: Exchange): string | undefined {
  try {
    return JSON.stringify([
      rounds.map(({ action }) => action.toolCalls.map((call) => [call.name, call.arguments])),
      observations.map(({ outcome, content, sources }) => [outcome, content, sources ?? []]),
    ]);
  } catch {
    return undefined;
  }
}
