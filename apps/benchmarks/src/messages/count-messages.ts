import { encode } from "gpt-tokenizer/encoding/o200k_base";

import type { ChatMessage } from "./chat-message.ts";

/** Counts what is sent, and keeps account of how much text had to be tokenized for it. */
export interface MessageCounter {
  /** Tokens of one message: 3, its role, its content, and for each call 3, its name and its arguments. */
  readonly countMessage: (message: ChatMessage) => number;
  /** Tokens of a request: 3, and its messages. */
  readonly countRequest: (messages: readonly ChatMessage[]) => number;
  /** How many tokens the tokenizer was made to give so far. */
  readonly tokenized: () => number;
}

/** Counts by o200k_base after OpenAI's cookbook (https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken). */
export function messageCounter(options: { readonly remembers: boolean }): MessageCounter {
  const known = new Map<string, number>();
  let tokenized = 0;
  const countText = (text: string): number => {
    const before = options.remembers ? known.get(text) : undefined;
    if (before !== undefined) return before;
    const count = encode(text, { disallowedSpecial: new Set() }).length;
    tokenized += count;
    if (options.remembers) known.set(text, count);
    return count;
  };
  const countMessage = (message: ChatMessage): number => {
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    const called = calls.map(
      ({ function: { name, arguments: args } }) => 3 + countText(name) + countText(args),
    );
    return called.reduce(
      (sum, count) => sum + count,
      3 + countText(message.role) + countText(message.content ?? ""),
    );
  };
  return {
    countMessage,
    countRequest: (messages) => messages.reduce((sum, message) => sum + countMessage(message), 3),
    tokenized: () => tokenized,
  };
}
