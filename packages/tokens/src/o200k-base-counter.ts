import encoder from "tiktoken/encoders/o200k_base.json" with { type: "json" };

import type { AppendableCounter } from "./appendable-counter.ts";
import { openaiCounter } from "./internal/openai-counter.ts";
import { requireEncoding } from "./internal/openai-encoding.ts";
import { textCounterOf } from "./internal/text-counter-of.ts";
import type { EncodingCounterOptions } from "./openai-counter-options.ts";

/**
 * Creates the exact counter of OpenAI's models since gpt-4o, for edge runtimes and bundles: the same counts and ids as `tiktokenCounter`,
 * with the one table that it needs (1.1 MB gzipped) imported as JSON.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model that is not known or has another encoding.
 *
 * @example
 * ```ts
 * import { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
 *
 * o200kBaseCounter({ model: "gpt-4o" }).countText("tiktoken is great!");
 * // => 6
 * ```
 */
export function o200kBaseCounter(options: EncodingCounterOptions = {}): AppendableCounter {
  return openaiCounter(requireEncoding("o200k_base", options), (encoding) =>
    textCounterOf(encoding, () => encoder.bpe_ranks),
  );
}
