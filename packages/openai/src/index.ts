// The contract of the package: each line is public.
export { fromChatMessages } from "./from-chat-messages.ts";
export type { FromChatOptions } from "./from-chat-messages.ts";
export { toChatMessages } from "./to-chat-messages.ts";
export type {
  ChatAssistantMessage,
  ChatFunctionMessage,
  ChatMessage,
  ChatMessageLike,
  ChatRefusalPart,
  ChatSystemMessage,
  ChatTextPart,
  ChatToolCall,
  ChatToolMessage,
  ChatUserMessage,
  ChatUserPart,
} from "./chat-message.ts";
