/** Input of `fromChatMessages`: any message of the OpenAI SDK, of a compatible provider or of a recording. */
export type ChatMessageLike = WithRole | (WithRole & { readonly [field: string]: unknown });

interface WithRole {
  readonly role: string;
}

/**
 * A message of OpenAI chat completions, assignable to the SDK's `ChatCompletionMessageParam` (hence mutable arrays): instructions, a user message (or content that a model reads as one),
 * an answer and its tool calls, the result of a tool call, and the result of the deprecated `function_call`. Fields that are not declared here are preserved.
 */
export type ChatMessage =
  | { role: "system" | "developer"; content: string | ChatTextPart[]; name?: string }
  | { role: "user"; content: string | ChatUserPart[]; name?: string }
  | ChatAssistantMessage
  | ChatToolMessage
  | { role: "function"; name: string; content: string | null };

interface ChatAssistantMessage {
  role: "assistant";
  content?: string | (ChatTextPart | { type: "refusal"; refusal: string })[] | null;
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

type ChatToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

interface ChatTextPart {
  type: "text";
  text: string;
}

type ChatUserPart =
  | ChatTextPart
  | {
      type: "image_url";
      image_url: { url: string; detail?: "auto" | "low" | "high" };
    }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };
