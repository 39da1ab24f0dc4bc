import type { TokenCounter } from "@agent-history/core";
import encoder from "tiktoken/encoders/cl100k_base.json" with { type: "json" };

import { openaiCounter, requireEncoding } from "./internal/openai-counter.ts";
import type { EncodingCounterOptions } from "./internal/openai-counter.ts";

/**
 * Creates the exact counter of OpenAI's models gpt-4 and gpt-3.5, for edge runtimes and bundles: the same counts and ids as `tiktokenCounter`,
 * with the one table that it needs (0.5 MB gzipped) imported as JSON.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model, or one with another encoding.
 *
 * @example
 * ```ts
 * import { cl100kBaseCounter } from "@agent-history/tokens/cl100k-base";
 *
 * cl100kBaseCounter({ model: "gpt-4" }).countText("tiktoken is great!");
 * // => 6
 * ```
 */
export function cl100kBaseCounter(options: EncodingCounterOptions = {}): TokenCounter {
  return openaiCounter(requireEncoding("cl100k_base", options), () => encoder.bpe_ranks);
}
