import type { MessageFormat } from "@agent-history/transcripts";

/** The formats of message files. UI messages of the AI SDK have their own format, because they hold more than a prompt. */
export type FileFormat = MessageFormat | "ai-sdk-ui" | "google" | "google-interactions";

/** The names of the formats, as typed. */
export const FILE_FORMATS: readonly FileFormat[] = [
  "chat",
  "responses",
  "anthropic",
  "google",
  "google-interactions",
  "ai-sdk",
  "ai-sdk-ui",
  "entries",
];

/** The names of the APIs, as typed, and the format of each. */
export const API_FORMATS: Readonly<Record<string, FileFormat>> = {
  anthropic: "anthropic",
  google: "google",
  "google-interactions": "google-interactions",
  "openai-chat": "chat",
  "openai-responses": "responses",
};
