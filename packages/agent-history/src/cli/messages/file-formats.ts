import type { MessageFormat } from "@agent-history/transcripts";

/** The formats that messages are written in. UI messages of the AI SDK are one of their own, because they hold more than a prompt. */
export type FileFormat = MessageFormat | "ai-sdk-ui" | "google" | "google-interactions";

/** The names of the formats, as they are typed. */
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

/** The APIs that messages are for, as they are typed, and the format of each. */
export const API_FORMATS: Readonly<Record<string, FileFormat>> = {
  anthropic: "anthropic",
  google: "google",
  "google-interactions": "google-interactions",
  "openai-chat": "chat",
  "openai-responses": "responses",
};
