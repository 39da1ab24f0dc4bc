import { HistoryError } from "@agent-history/core";

import { decodeRows } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { readLogPage } from "./read-log.ts";
import { keptSince } from "./replaced-entries.ts";
import type { StoreProgram } from "./store-program.ts";
import { headOf } from "./thread-head.ts";

/**
 * Says that what a reader had seen last was replaced, and what of it has stayed; `undefined` where it never was in the log.
 *
 * @param options - `isGone`: only where nothing stands under its id now.
 */
export function* rewoundAt(
  after: string,
  { isGone = false }: { readonly isGone?: boolean } = {},
): StoreProgram<HistoryError | undefined> {
  const [threadAnswer, replacedAnswer, positionsAnswer] = yield* fetchRound([
    { kind: "thread" },
    { kind: "replaced", ids: [after] },
    { kind: "positions", ids: [after] },
  ]);
  if (isGone && answered("positions", positionsAnswer).positions.has(after)) return undefined;
  const earlier = answered("replaced", replacedAnswer).replaced.get(after) ?? [];
  if (earlier.length === 0) return undefined;
  const head = headOf(answered("thread", threadAnswer).head);
  const nth = earlier.reduce((oldest, one) => Math.min(oldest, one.nth), Infinity);
  const kept = keptSince(head, nth);
  const [last] = kept === 0 ? [] : decodeRows(yield* readLogPage(kept - 1, kept)).entries;
  return rewound(after, last?.entry.id);
}

/** The error of a read behind an entry that was replaced. */
function rewound(after: string, lastCommonId: string | undefined): HistoryError {
  return new HistoryError(
    "The entry that `after` names was replaced. Read on behind `details.lastCommonId`, the last one before it that was not; without one, from the beginning.",
    {
      code: "HISTORY_REWOUND",
      details: { entryId: after, ...(lastCommonId !== undefined && { lastCommonId }) },
    },
  );
}
