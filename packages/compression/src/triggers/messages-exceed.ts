import { countOption } from "@agent-history/core";

import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires where the view has more than this many entries of its own, system messages included.
 *
 * @param count - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function messagesExceed(count: number): CompressionTrigger {
  const limit = countOption("count", count);
  return ({ members }) => members.length > limit;
}
