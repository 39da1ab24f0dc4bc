import type { HistoryQuery } from "@agent-history/core";

import { excessOf } from "./plan-read.ts";
import type { Bound } from "./plan-read.ts";
import type { ReadContext } from "./read-context.ts";
import { ROW_LENGTH, unpackReferences } from "./reference.ts";
import type { StreamReader } from "./stream-reader.ts";
import { streamName } from "./streams-of.ts";
import { turnsOf } from "./thread-head.ts";
import type { ViewNumbers } from "./view-numbers.ts";

/** Says how far streams must be read. */
export interface StreamBounds {
  /** Everything of a stream that the query asks for was read. */
  readonly isComplete: (reader: StreamReader) => boolean;
  /** What is missing of a stream is wanted only where the limits leave room for it. */
  readonly isCutByLimits: (reader: StreamReader) => boolean;
  /** To which position a stream must be read at most. */
  readonly oldest: (reader: StreamReader) => number;
  /** What lies before is not asked of a stream. */
  readonly from: (reader: StreamReader) => number;
  /** Completes a stream by what the view's state has kept of it. */
  readonly useKept: (reader: StreamReader) => void;
}

/** What the clauses of a query ask for, at the oldest. */
export interface OldestAsked {
  /** The position of a task; `Infinity` for none. */
  readonly task: number;
  /** The number of a turn; `Infinity` for none. */
  readonly turn: number;
}

/** Finds out how far the streams of a plan must be read. */
export function streamBounds(
  context: ReadContext,
  numbers: ViewNumbers,
  asked: OldestAsked,
): StreamBounds {
  const { query, head, state, range, positions } = context;
  const { start, newest } = turnsOf(head);
  const isNewest = (bound: Bound): boolean =>
    bound === "newest-turn" || (bound === "turn" && asked.turn === newest);
  const oldestNamed = query.clauses
    .flatMap(({ ids = [] }) => ids.map((id) => positions.get(id) ?? Infinity))
    .reduce((oldest, position) => Math.min(oldest, position), Infinity);

  const farthest = { beginning: 0, named: oldestNamed, task: asked.task };

  function oldestOf(bound: Bound): number {
    return isFar(bound) ? Math.max(range.after + 1, farthest[bound]) : 0;
  }

  function reaches(bound: Bound, reader: StreamReader): boolean {
    if (reader.floor() === 0) return true;
    if (isFar(bound)) return reader.floor() <= oldestOf(bound) && mayStopEarly(reader, query);
    if (isNewest(bound)) return reader.floor() <= start;
    // Numbers rise, but for entries that are late.
    if (bound === "turn" || bound === "newest-turn") {
      return reader.references().some(({ isLate, turn }) => !isLate && turn < asked.turn);
    }
    const excess = excessOf(bound, numbers.newestTurn);
    const { from = 0, looseTalk = 0 } = state?.turns ?? {};
    return (
      (looseTalk < 0 && reader.floor() <= from) ||
      reader.references().some((one) => !one.isLate && numbers.turnOf(one) < excess)
    );
  }

  return {
    isComplete: (reader) => boundsOf(reader, context).every((bound) => reaches(bound, reader)),
    isCutByLimits: (reader) =>
      hasLimits(query) &&
      mayStopEarly(reader, query) &&
      boundsOf(reader, context).every((bound) => isFar(bound) || reaches(bound, reader)),
    oldest: (reader) => {
      if (!mayStopEarly(reader, query)) return 0;
      const oldest = boundsOf(reader, context)
        .map(oldestOf)
        .reduce((one, other) => Math.min(one, other), Infinity);
      const { maxEntries = Infinity } = query;
      // A row more: what lies behind the range, and the entry that tells where the limit cut.
      return Math.max(oldest, reader.floor() - maxEntries - ROW_LENGTH);
    },
    from: (reader) => (boundsOf(reader, context).every(isNewest) ? start : 0),
    useKept: (reader) => {
      const end = state?.runs.at(-1)?.[1] ?? -1;
      if (state?.kept === undefined || reader.stream !== streamName.all) return;
      if (reader.floor() > 0 && reader.floor() <= end + 1) {
        reader.finish(unpackReferences(state.kept));
      }
    },
  };
}

function isFar(bound: Bound): bound is "beginning" | "named" | "task" {
  return bound === "beginning" || bound === "named" || bound === "task";
}

function boundsOf({ stream }: StreamReader, { plan, state }: ReadContext): readonly Bound[] {
  const own = plan.sources.get(stream) ?? [];
  const isOwner = plan.agent !== undefined && stream === streamName.agent(plan.agent);
  if (state === undefined || !isOwner) return own;
  // It must tell of all that other streams show whether it is gone.
  const others = [...plan.sources].filter(([name]) => !name.startsWith(streamName.standing));
  return [...own, ...others.flatMap(([, bounds]) => bounds)];
}

/** What is shown must not hang on what lies further back: an upload is shown with its message. */
function mayStopEarly({ stream }: StreamReader, { clauses }: HistoryQuery): boolean {
  const isApart = stream === streamName.global || stream.startsWith(streamName.standing);
  return isApart || !clauses.some(({ attachedToShown }) => attachedToShown === true);
}

function hasLimits({ maxEntries = Infinity, maxTokens = Infinity }: HistoryQuery): boolean {
  return maxEntries !== Infinity || maxTokens !== Infinity;
}
