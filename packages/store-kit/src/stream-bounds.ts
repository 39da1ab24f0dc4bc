import type { HistoryQuery } from "@agent-history/core";

import { excessOf } from "./plan-read.ts";
import type { Bound } from "./plan-read.ts";
import type { ReadContext } from "./read-context.ts";
import { unpackReferences } from "./reference.ts";
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
  /** What lies before is not asked of a stream. */
  readonly from: (reader: StreamReader) => number;
  /** Completes a stream by what the view's state has kept of it. */
  readonly useKept: (reader: StreamReader) => void;
}

/** Finds out how far the streams of a plan must be read. */
export function streamBounds(context: ReadContext, numbers: ViewNumbers): StreamBounds {
  const { query, head, state, range, positions } = context;
  const { start } = turnsOf(head);
  const oldestNamed = query.clauses
    .flatMap(({ ids = [] }) => ids.map((id) => positions.get(id) ?? Infinity))
    .reduce((oldest, position) => Math.min(oldest, position), Infinity);

  function reaches(bound: Bound, reader: StreamReader): boolean {
    if (reader.floor() === 0) return true;
    if (isFar(bound)) {
      const oldest = Math.max(range.after + 1, bound === "named" ? oldestNamed : 0);
      return reader.floor() <= oldest && mayStopEarly(reader, query);
    }
    if (bound === "newest-turn") return reader.floor() <= start;
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
    from: (reader) =>
      boundsOf(reader, context).every((bound) => bound === "newest-turn") ? start : 0,
    useKept: (reader) => {
      const end = state?.runs.at(-1)?.[1] ?? -1;
      if (state?.kept === undefined || reader.stream !== streamName.all) return;
      if (reader.floor() > 0 && reader.floor() <= end + 1) {
        reader.finish(unpackReferences(state.kept));
      }
    },
  };
}

function isFar(bound: Bound): bound is "beginning" | "named" {
  return bound === "beginning" || bound === "named";
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
