import type { ToolCall, ToolDefinition } from "@agent-history/core";

/** One message of a prompt; told apart by `role`. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly toolName: string;
      readonly content: string;
    };

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly signal?: AbortSignal;
}

/** What a model answers: text, tool calls, or both. */
export interface ModelReply {
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
}

/**
 * Asks a model. Implement it on any provider's SDK to run the team on a real model.
 *
 * It knows nothing but the request: what is not in the messages, it was not shown.
 */
export type ChatModel = (request: ModelRequest) => Promise<ModelReply>;
