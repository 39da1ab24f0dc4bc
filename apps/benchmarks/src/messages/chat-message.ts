import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** A message of OpenAI's chat format, which every system measured here can be given and can give back. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** A call of a tool. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Counts what is sent; all systems are judged by it, and those that take a counter are given it. */
export interface MessageCounter {
  /** Tokens of one message: 3, its role, its content, and for each call 3, its name and its arguments. */
  readonly countMessage: (message: ChatMessage) => number;
  /** Tokens of a request: 3, and its messages. */
  readonly countRequest: (messages: readonly ChatMessage[]) => number;
}

/** Counts by o200k_base after OpenAI's cookbook (https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken), each text once. */
export function messageCounter(): MessageCounter {
  const known = new Map<string, number>();
  const countText = (text: string): number => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const tokens = encode(text, { disallowedSpecial: new Set() }).length;
    known.set(text, tokens);
    return tokens;
  };
  const countMessage = (message: ChatMessage): number => {
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    return calls.reduce(
      (sum, { function: { name, arguments: args } }) => sum + 3 + countText(name) + countText(args),
      3 + countText(message.role) + countText(message.content ?? ""),
    );
  };
  return {
    countMessage,
    countRequest: (messages) => messages.reduce((sum, message) => sum + countMessage(message), 3),
  };
}
