/** Input of `fromAnthropicMessages`: any message of the Anthropic SDK, a response of the API, or a recording. Other fields are allowed. */
export interface AnthropicMessageLike {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * A message of Anthropic's Messages API, assignable to the SDK's `MessageParam` and `BetaMessageParam`. Blocks and fields that
 * are not declared here are preserved.
 */
export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

/** A content block of a message. */
export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | AnthropicToolUse
  | AnthropicToolResult;

/** A cache breakpoint: the prompt is cached up to here. */
export interface AnthropicCacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

export interface AnthropicTextBlock {
  type: "text";
  text: string;
  cache_control?: AnthropicCacheControl;
}

export interface AnthropicImageBlock {
  type: "image";
  source:
    | {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      }
    | { type: "url"; url: string };
  cache_control?: AnthropicCacheControl;
}

export interface AnthropicDocumentBlock {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string | null;
  cache_control?: AnthropicCacheControl;
}

/** A tool call. */
export interface AnthropicToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  cache_control?: AnthropicCacheControl;
}

/** The result of a tool call. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  is_error?: boolean;
  cache_control?: AnthropicCacheControl;
}
