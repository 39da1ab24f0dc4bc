import { countOption, splitTurns } from "@agent-history/core";

import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires where the view's entries belong to more than this many turns.
 *
 * @param count - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function turnsExceed(count: number): CompressionTrigger {
  const limit = countOption("count", count);
  return ({ members }) => splitTurns(members).length > limit;
}
