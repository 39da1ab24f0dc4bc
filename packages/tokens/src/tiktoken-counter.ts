import type { TokenCounter } from "@agent-history/core";

import { readEncoder } from "#read-encoder";

import { openaiCounter, type OpenaiCounterOptions } from "./internal/openai-counter.ts";

/**
 * Creates the exact counter of OpenAI's chat models, with the ranks of tiktoken, the reference.
 *
 * Text is exact, of any shape and length, and costs time close to linear in it; special-token text such as `<|endoftext|>`
 * is data. Messages, names and tools follow OpenAI's cookbook, images its vision guide. For what OpenAI publishes no
 * rule for, tool calls and the pages of files, see the README. The ranks are read at the first count (some hundredths of a second) and
 * shared; each entry and each tool is tokenized once.
 *
 * Runs on Node. Elsewhere, and in bundles, use `o200kBaseCounter` of `@agent-history/tokens/o200k-base`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model or encoding.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * counter.countText("tiktoken is great!");
 * // => 6
 * counter.countRequest() + counter.countEntry(userMessage({ content: "tiktoken is great!" }));
 * // => 13
 * ```
 */
export function tiktokenCounter(options: OpenaiCounterOptions): TokenCounter {
  return openaiCounter(options, readEncoder);
}
