import type { JsonObject } from "@agent-history/core";
import * as z from "zod";

import {
  asks,
  called,
  calling,
  chatShape,
  commonChat,
  openaiChat,
  result,
  says,
  sending,
} from "./openai-chat-rules.ts";
import type { ChatRequest } from "./openai-chat-rules.ts";
import { has, objectAt, objectsAt, textIn } from "./read-wire.ts";
import type { Refused, Rules } from "./wire.ts";

/** Servers that speak as OpenAI's chat completions do. */
export type ChatHost =
  | "openai"
  | "vllm"
  | "mistral"
  | "deepseek"
  | "groq"
  | "openrouter"
  | "gemini";

const validator =
  "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py";

/** Mistral's API, and the stricter chat templates that its models are served with elsewhere. */
const mistral: Rules<ChatRequest> = {
  "wrong-order": {
    source: validator,
    answer: "Unexpected role 'user' after role 'tool'",
    refused: sending(asks, calling, result, asks),
    breaks: ({ messages }) =>
      messages.some(({ role }, index) => {
        const before = textIn(messages[index - 1]?.["role"] ?? "system");
        const allowed = AFTER[before];
        return (
          allowed !== undefined &&
          AFTER[textIn(role)] !== undefined &&
          !allowed.includes(textIn(role))
        );
      }),
  },
  "not-alternating": {
    source:
      "https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3/blob/main/tokenizer_config.json",
    answer:
      "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
    refused: sending(asks, asks),
    breaks: ({ messages }) => {
      const speakers = messages
        .filter(
          ({ role, tool_calls: calls }) =>
            role === "user" || (role === "assistant" && (calls ?? null) === null),
        )
        .map(({ role }) => role);
      return speakers.some((role, index) => role !== (index % 2 === 0 ? "user" : "assistant"));
    },
  },
  "last-not-user": {
    source: validator,
    answer:
      "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    refused: sending(asks, says),
    breaks: ({ messages }) =>
      messages.length > 0 && !["user", "tool"].includes(textIn(messages.at(-1)?.["role"])),
  },
  "empty-answer": {
    source: validator,
    answer: "Assistant message must have either content or tool_calls, but not both.",
    refused: sending(asks, { role: "assistant", content: " " }, asks),
    breaks: ({ messages }) => messages.some(isEmptyAnswer),
  },
};

const deepseek: Rules<ChatRequest> = {
  "empty-answer": {
    source: "https://api-docs.deepseek.com/api/create-chat-completion",
    answer: "Invalid assistant message: content or tool_calls must be set",
    refused: sending(asks, { role: "assistant", content: "", reasoning_content: "Hm." }, asks),
    breaks: ({ messages }) => messages.some(isEmptyAnswer),
  },
  "reasoning-missing": {
    source: "https://github.com/QwenLM/qwen-code/issues/3658",
    answer: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    refused: { ...sending(asks, says, asks), tools: [{ type: "function" }] },
    breaks: ({ body, messages }) => {
      const isThinking = objectAt(body, "thinking")["type"] !== "disabled";
      return (
        isThinking &&
        objectsAt(body, "tools").length > 0 &&
        messages.some(
          (message) =>
            message["role"] === "assistant" && typeof message["reasoning_content"] !== "string",
        )
      );
    },
  },
};

const groq: Rules<ChatRequest> = {
  "reasoning-unsupported": {
    source: "https://github.com/agentjido/req_llm/issues/772",
    answer:
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    refused: sending(asks, { ...says, reasoning_content: "Hm." }, asks),
    breaks: ({ messages }) =>
      messages.some(
        (message) => has(message, "reasoning_content") || has(message, "reasoning_details"),
      ),
  },
};

const openrouter: Rules<ChatRequest> = {
  "reasoning-in-a-row": {
    source: "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens",
    answer: "messages.1.content.0: Expected `thinking` or `redacted_thinking`, but found `text`.",
    refused: sending(asks, { ...says, ...thought() }, { ...says, ...thought() }, asks),
    breaks: ({ messages }) =>
      messages.some(
        (message, index) =>
          message["role"] === "assistant" &&
          messages[index + 1]?.["role"] === "assistant" &&
          [message, messages[index + 1] ?? {}].some((one) => has(one, "reasoning_details")),
      ),
  },
};

/** Gemini's endpoint for clients of OpenAI: the first call after the newest question has its signature. */
const gemini: Rules<ChatRequest> = {
  "missing-thought-signature": {
    source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
    answer: "Function call `look` in the `2.` content block is missing a `thought_signature`.",
    refused: { ...sending(asks, calling, result), model: "gemini-3-pro" },
    breaks: ({ body, messages }) => {
      if (!/gemini-[3-9]/u.test(textIn(body["model"]))) return false;
      const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
      return turn.some((message) => {
        const [first] = objectsAt(message, "tool_calls");
        const google = objectAt(objectAt(first, "extra_content"), "google");
        return first !== undefined && textIn(google["thought_signature"]) === "";
      });
    },
  },
};

/** What each host refuses. */
export const chatHosts: Readonly<Record<ChatHost, Refused<ChatRequest>>> = {
  openai: openaiChat,
  vllm: commonChat,
  mistral: {
    ...withRules(mistral),
    shape: chatShape({ ids: z.string().regex(/^[a-zA-Z0-9]{9}$/u) }),
    misshapen: { ...commonChat.misshapen, "messages.tool_call_id": sending(...called("a")) },
  },
  deepseek: withRules(deepseek),
  groq: withRules(groq),
  openrouter: withRules(openrouter),
  gemini: withRules(gemini),
};

function withRules(rules: Rules<ChatRequest>): Refused<ChatRequest> {
  return { ...commonChat, rules: { ...commonChat.rules, ...rules } };
}

/** Who may speak after whom. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  system: ["system", "user", "assistant"],
  user: ["system", "user", "assistant"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function isEmptyAnswer(message: JsonObject): boolean {
  if (message["role"] !== "assistant" || objectsAt(message, "tool_calls").length > 0) return false;
  const { content } = message;
  if (typeof content === "string") return content.trim() === "";
  return objectsAt(message, "content").every(({ text }) => textIn(text).trim() === "");
}

function thought(): JsonObject {
  return { reasoning_details: [{ type: "reasoning.text", text: "Hm.", signature: "s" }] };
}
