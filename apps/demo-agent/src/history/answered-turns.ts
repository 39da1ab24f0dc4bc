import type { CompressionStrategy, CompressionTrigger } from "@agent-history/compression";
import { ASSISTANT_MESSAGE } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/**
 * Covers the turns of a conversation that were answered, but for the newest of them. A question that somebody still works on stays: in
 * a thread of several processes that need not be the newest.
 */
export const answeredTurns: CompressionStrategy = ({ items }) => {
  const answered = answeredTurnIds(items.flatMap(({ entries }) => entries));
  const newest = answered.at(-1);
  const covers = items.filter(
    ({ entries: [entry], isEarlierSummary }) =>
      isEarlierSummary ||
      (entry?.turnId !== undefined && entry.turnId !== newest && answered.includes(entry.turnId)),
  );
  return { strategy: "answered-turns", spans: [{ covers }] };
};

/** Fires where more than this many answered turns of a conversation stand there word for word. */
export function answeredTurnsExceed(count: number): CompressionTrigger {
  return ({ members }) => answeredTurnIds(members).length > count;
}

function answeredTurnIds(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap(({ type, turnId }) =>
    type === ASSISTANT_MESSAGE && turnId !== undefined ? [turnId] : [],
  );
}
