import type { TokenCounter } from "@agent-history/core";
import encoder from "tiktoken/encoders/o200k_base.json" with { type: "json" };

import { openaiCounter, requireEncoding } from "./internal/openai-counter.ts";
import type { EncodingCounterOptions } from "./internal/openai-counter.ts";

/**
 * Creates the exact counter of OpenAI's models since gpt-4o, for edge runtimes and bundles: the same counts and ids as `tiktokenCounter`,
 * with the one table that it needs (1.1 MB gzipped) imported as JSON.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model, or one with another encoding.
 *
 * @example
 * ```ts
 * import { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
 *
 * o200kBaseCounter({ model: "gpt-4o" }).countText("tiktoken is great!");
 * // => 6
 * ```
 */
export function o200kBaseCounter(options: EncodingCounterOptions = {}): TokenCounter {
  return openaiCounter(requireEncoding("o200k_base", options), () => encoder.bpe_ranks);
}

/**
 * Returns the table of `o200kBaseCounter` in tiktoken's format: 2 MB of text, to embed it in a page, for example.
 *
 * @example
 * ```ts
 * import { o200kBaseRanks } from "@agent-history/tokens/o200k-base";
 *
 * o200kBaseRanks().startsWith("! 0 ");
 * // => true
 * ```
 */
export function o200kBaseRanks(): string {
  return encoder.bpe_ranks;
}
