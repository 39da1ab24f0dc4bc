import type { ToolCall, ToolDefinition } from "@agent-history/core";

/** One message of a prompt; discriminated by `role`. */
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
  /** Told what happens until the reply is whole. */
  readonly onEvent?: (event: ModelEvent) => void;
  readonly signal?: AbortSignal;
}

/** What happens while a model replies; discriminated by `type`. */
export type ModelEvent =
  /** More of the text. */
  | { readonly type: "text"; readonly delta: string }
  /** A try failed: what came of it is void, and the next begins after `delayMs`. `reason` is one line. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    };

/** What a model answers: text, tool calls, or both. */
export interface ModelReply {
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** What the provider counted, where it says. */
  readonly usage?: ModelUsage;
}

/** The tokens of a call, as its provider counted them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Asks a model. Implement it on any provider's SDK to run the team on a real model.
 *
 * It knows nothing but the request: what is not in the messages, it was not shown.
 */
export type ChatModel = (request: ModelRequest) => Promise<ModelReply>;
