import type { EntryTypeName, HistoryQuery, QueryClause } from "@agent-history/core";

import { planRead, sourceOf } from "./plan-read.ts";
import type { Bound, Source } from "./plan-read.ts";
import { streamName } from "./streams-of.ts";

/** Entries that a read most likely shows, as conditions on plain columns. */
export interface EntryGuess {
  /** Only entries of this stream. */
  readonly stream: string;
  /** Only these types. Default: all. */
  readonly types?: readonly EntryTypeName[];
  /** Only those of the last turns. Default: of all. */
  readonly turns?: number;
  /** Only this agent's last task and what comes after it. Default: all. */
  readonly taskOf?: string;
  /** How many of the newest, at most. */
  readonly entries: number;
  /** The newest, up to the one that passes this size. */
  readonly bytes: number;
}

/**
 * Guesses which entries `readProgram` will ask for in its second round, so that a store can bring them with the first. The guess decides nothing: what
 * it misses is asked for.
 */
export function guessEntries(query: HistoryQuery): readonly EntryGuess[] {
  if (typeof planRead(query) === "string") return [];
  const { clauses, maxEntries = Infinity, maxTokens = Infinity } = query;
  const hasLimits = maxEntries !== Infinity || maxTokens !== Infinity;
  const hasUploads = clauses.some(({ attachedToShown }) => attachedToShown === true);
  const limits = {
    // An exchange that is cut is left out, so that more is looked at than is shown.
    entries: Math.min(MOST_ENTRIES, maxEntries + 32),
    bytes: Math.min(MOST_BYTES, maxTokens),
  };
  return clauses.flatMap((clause) => {
    const source = sourceOf(clause);
    if (source === undefined || typeof source === "string") return [];
    if (!hasLimits && !isBounded(clause, source)) return [];
    const turns = turnsOf(source.bound);
    return {
      stream: source.stream,
      ...(clause.types !== undefined && {
        types: hasUploads ? [...clause.types, "attachment" as const] : clause.types,
      }),
      ...(turns !== undefined && { turns }),
      ...(clause.lastTask?.of !== undefined && { taskOf: clause.lastTask.of }),
      ...limits,
    };
  });
}

const MOST_ENTRIES = 256;
const MOST_BYTES = 400_000;

function isBounded({ lastTask }: QueryClause, { stream, bound }: Source): boolean {
  const isStanding = stream.startsWith(streamName.standing);
  return isStanding || lastTask?.of !== undefined || turnsOf(bound) !== undefined;
}

function turnsOf(bound: Bound): number | undefined {
  if (bound === "newest-turn") return 1;
  return typeof bound === "string" ? undefined : Math.min(bound.count, MOST_ENTRIES);
}
