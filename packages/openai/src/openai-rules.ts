import type { AnswerReader, WireRule } from "@agent-history/format-kit";

import { VALUE } from "./internal/chat-parts.ts";

/**
 * Who serves the API: `openai`, or a server that speaks its format and refuses more, or other things. `compatible` stands for one that is not named here: what OpenAI refuses is repaired, fields that
 * only others know stay.
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

/** What decides which rules hold for a request. */
export interface OpenAIRuleOptions extends AnswerReader {
  /** Who serves the API. Default `openai`. */
  readonly host?: OpenAIHost | undefined;
  /** Of the Responses API: whether it stores responses. With `false` it does not know reasoning that is not encrypted. Default `true`. */
  readonly store?: boolean | undefined;
  /** Of the Responses API: `drop` leaves reasoning out of all answers but those of the running exchange. Default `keep`. */
  readonly reasoning?: "keep" | "drop" | undefined;
}

/** Arguments are text, not the value that it stands for. */
export function argumentsText(source: string): WireRule {
  return {
    name: "arguments-text",
    source,
    remedy: "arguments that are a value become its JSON",
    call: (call) => {
      if (call.extra?.[VALUE] !== true) return call;
      const { [VALUE]: _, ...extra } = call.extra;
      return { ...call, extra };
    },
  };
}
