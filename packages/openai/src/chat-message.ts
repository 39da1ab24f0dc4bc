/** What `fromChatMessages` takes: any message of the OpenAI SDK, of a compatible provider or of a recording. Other fields may stand there too. */
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
 * A message as OpenAI's chat completions take it: assignable to the SDK's `ChatCompletionMessageParam`, which wants its lists
 * mutable. Fields that came with a message and are not named here are there all the same.
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

/** What a user says, or what a model reads as if a user had said it. */
export interface ChatUserMessage {
  role: "user";
  content: string | ChatUserPart[];
  name?: string;
}

/** What the model says, and the tools it calls. */
export interface ChatAssistantMessage {
  role: "assistant";
  content?: string | (ChatTextPart | ChatRefusalPart)[] | null;
  refusal?: string | null;
  name?: string;
  audio?: { id: string } | null;
  tool_calls?: ChatToolCall[];
  function_call?: { name: string; arguments: string } | null;
}

/** The answer to one tool call. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string | ChatTextPart[];
}

/** The answer to a `function_call`, as it was before there were tools. */
export interface ChatFunctionMessage {
  role: "function";
  name: string;
  content: string | null;
}

/** One call of a tool. */
export type ChatToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

/** Text. */
export interface ChatTextPart {
  type: "text";
  text: string;
}

/** Text by which a model refuses. */
export interface ChatRefusalPart {
  type: "refusal";
  refusal: string;
}

/** What a user's message may hold. */
export type ChatUserPart =
  | ChatTextPart
  | {
      type: "image_url";
      image_url: { url: string; detail?: "auto" | "low" | "high" };
    }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };
