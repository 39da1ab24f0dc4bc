import { countOption } from "@agent-history/core";

import type { CompressionTrigger } from "../compression-trigger.ts";

/**
 * Fires where the view's entries have more than so many tokens.
 *
 * @param tokens - From 0; `Infinity` never fires.
 * @throws `HistoryError` with code `INVALID_OPTION` where it is no count.
 */
export function tokensExceed(tokens: number): CompressionTrigger {
  const limit = countOption("tokens", tokens);
  return (situation) => situation.tokens > limit;
}
