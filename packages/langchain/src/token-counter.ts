import type { TokenCounter } from "@agent-history/core";

import { fromMessages } from "./messages.ts";
import type { LangChainMessageLike } from "./messages.ts";

/**
 * Creates a `tokenCounter` for LangChain's own functions, such as `trimMessages`, from a counter. It counts the tokens of a request with these messages, including tool calls,
 * images and overhead, and counts each message object only once.
 *
 * @example
 * ```ts
 * import { tokenCounter } from "@agent-history/langchain";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const count = tokenCounter(counter);
 * // trimMessages(messages, { maxTokens: 4000, strategy: "last", tokenCounter: count })
 * count([{ role: "user", content: "To Rome, please." }]);
 * // => 12
 * ```
 */
export function tokenCounter(
  counter: TokenCounter,
): (messages: readonly LangChainMessageLike[]) => number {
  return (messages) =>
    messages.reduce<number>(
      // Convert each message alone: then it is the same entry in any list, and is counted only once.
      (sum, message) =>
        fromMessages([message]).reduce((tokens, entry) => tokens + counter.countEntry(entry), sum),
      counter.countRequest(),
    );
}
