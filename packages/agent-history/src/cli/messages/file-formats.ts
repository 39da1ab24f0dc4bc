/** The APIs whose rules are known, as typed; also the names of their messages' formats. */
export const APIS = [
  "anthropic",
  "google",
  "google-interactions",
  "openai-chat",
  "openai-responses",
] as const;

export type FileFormat = (typeof APIS)[number] | "ai-sdk" | "ai-sdk-ui" | "entries";

/** The formats of message files, as typed. UI messages of the AI SDK have their own format, because they hold more than a prompt. */
export const FILE_FORMATS: readonly FileFormat[] = [...APIS, "ai-sdk", "ai-sdk-ui", "entries"];
