import type { TokenCounter } from "@agent-history/core";

import { fromMessages } from "./messages.ts";
import type { LangChainMessageLike } from "./messages.ts";

/**
 * Makes a `tokenCounter` for LangChain's own functions, such as `trimMessages`, of a counter. It counts what a request of these messages costs, their tool calls,
 * images and overhead included, and each message once.
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
      // Each by itself: whatever list a message stands in, it is the same entry, and counted already.
      (sum, message) =>
        fromMessages([message]).reduce((tokens, entry) => tokens + counter.countEntry(entry), sum),
      counter.countRequest(),
    );
}
