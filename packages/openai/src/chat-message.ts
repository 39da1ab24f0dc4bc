/** Input of `fromChatMessages`: any message of the OpenAI SDK, of a compatible provider or of a recording. Other fields are allowed. */
export interface ChatMessageLike {
  readonly role: string;
  readonly content?: unknown;
  readonly name?: unknown;
  readonly refusal?: unknown;
  readonly audio?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly function_call?: unknown;
}

/**
 * A message of OpenAI chat completions, assignable to the SDK's `ChatCompletionMessageParam` (hence mutable arrays).
 * Fields that are not declared here are preserved.
 */
export type ChatMessage =
  | ChatSystemMessage
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatToolMessage
  | ChatFunctionMessage;

/** Instructions for the model. */
export interface ChatSystemMessage {
  role: "system" | "developer";
  content: string | ChatTextPart[];
  name?: string;
}

/** A user message, or content that a model reads as one. */
export interface ChatUserMessage {
  role: "user";
  content: string | ChatUserPart[];
  name?: string;
}

/** An assistant message and its tool calls. */
export interface ChatAssistantMessage {
  role: "assistant";
  content?: string | (ChatTextPart | ChatRefusalPart)[] | null;
  refusal?: string | null;
  name?: string;
  audio?: { id: string } | null;
  tool_calls?: ChatToolCall[];
  function_call?: { name: string; arguments: string } | null;
}

/** The result of one tool call. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string | ChatTextPart[];
}

/** The result of a `function_call`, the deprecated predecessor of tool calls. */
export interface ChatFunctionMessage {
  role: "function";
  name: string;
  content: string | null;
}

/** One tool call. */
export type ChatToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export interface ChatTextPart {
  type: "text";
  text: string;
}

/** A model's refusal. */
export interface ChatRefusalPart {
  type: "refusal";
  refusal: string;
}

/** Content parts of a user message. */
export type ChatUserPart =
  | ChatTextPart
  | {
      type: "image_url";
      image_url: { url: string; detail?: "auto" | "low" | "high" };
    }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };
