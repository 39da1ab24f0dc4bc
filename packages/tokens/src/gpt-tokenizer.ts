import type { TokenCounter } from "@agent-history/core";

import { gptTokenizerRanks } from "./internal/gpt-tokenizer-ranks.ts";
import { openaiCounter } from "./internal/openai-counter.ts";
import { textCounterOf } from "./internal/text-counter.ts";
import type { OpenaiCounterOptions } from "./openai-counter-options.ts";

/**
 * Creates the exact counter of OpenAI's chat models on the ranks of the package `gpt-tokenizer`: the same counts and
 * the same id as `tiktokenCounter`, for those who have that package anyway. Both encodings are imported with it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model or an encoding that is not known.
 *
 * @example
 * ```ts
 * import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
 *
 * gptTokenizerCounter({ model: "gpt-4o" }).countText("tiktoken is great!");
 * // => 6
 * ```
 */
export function gptTokenizerCounter(options: OpenaiCounterOptions): TokenCounter {
  return openaiCounter(options, (encoding) => textCounterOf(encoding, gptTokenizerRanks));
}
