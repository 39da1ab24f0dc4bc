import { countOption } from "@agent-history/core";

import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires where the view's entries have more than this many tokens.
 *
 * @param tokens - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function tokensExceed(tokens: number): CompressionTrigger {
  const limit = countOption("tokens", tokens);
  return (situation) => situation.tokens > limit;
}
