import type { OpenAIHost } from "@agent-history/openai";

/** The formats of message files, as typed. UI messages of the AI SDK have their own format, because they hold more than a prompt. */
export const FILE_FORMATS = [
  "chat",
  "responses",
  "anthropic",
  "google",
  "google-interactions",
  "ai-sdk",
  "ai-sdk-ui",
  "entries",
] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** The names of the APIs, as typed, and the format of each. */
export const API_FORMATS = {
  anthropic: "anthropic",
  google: "google",
  "google-interactions": "google-interactions",
  "openai-chat": "chat",
  "openai-responses": "responses",
} as const;

/** The servers of OpenAI's APIs, as typed. */
export const HOSTS: readonly OpenAIHost[] = [
  "openai",
  "compatible",
  "deepseek",
  "gemini",
  "groq",
  "mistral",
  "openrouter",
  "vllm",
];
