import type { AnswerReader, WireRule } from "@agent-history/format-kit";

import { VALUE } from "./internal/chat-parts.ts";

/**
 * The server of the API: `openai`, or a server that accepts its format with other restrictions. Use `compatible` for any other server: repairs what OpenAI refuses, and keeps fields that
 * OpenAI does not know.
 */
export type OpenAIHost =
  | "openai"
  | "compatible"
  | "deepseek"
  | "gemini"
  | "groq"
  | "mistral"
  | "openrouter"
  | "vllm";

/** Options that determine which rules apply to a request. */
export interface OpenAIRuleOptions extends AnswerReader {
  /** The server of the API. Default `openai`. */
  readonly host?: OpenAIHost | undefined;
  /** Responses API only: whether it stores responses. With `false` it accepts only encrypted reasoning. Default `true`. */
  readonly store?: boolean | undefined;
  /** Responses API only: `drop` removes reasoning from all answers except those of the running exchange. Default `keep`. */
  readonly reasoning?: "keep" | "drop" | undefined;
}

/** Arguments must be JSON text, not a JSON value. */
export function argumentsText(source: string): WireRule {
  return {
    name: "arguments-text",
    source,
    remedy: "replaces arguments that are a JSON value with its text",
    call: (call) => {
      if (call.extra?.[VALUE] !== true) return call;
      const { [VALUE]: _, ...extra } = call.extra;
      return { ...call, extra };
    },
  };
}
