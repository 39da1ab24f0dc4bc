/** What `fromAnthropicMessages` takes: any message of the Anthropic SDK, an answer of the API, or a recording. Other fields may stand there too. */
export interface AnthropicMessageLike {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * A message as Anthropic's Messages API takes it: assignable to the SDK's `MessageParam` and `BetaMessageParam`. Blocks and fields that came with a message and
 * are not named here are there all the same.
 */
export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

/** A block of a message. */
export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | AnthropicToolUse
  | AnthropicToolResult;

/** Where a prompt may be cached up to. */
export interface AnthropicCacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

/** Text. */
export interface AnthropicTextBlock {
  type: "text";
  text: string;
  cache_control?: AnthropicCacheControl;
}

/** An image. */
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

/** A document. */
export interface AnthropicDocumentBlock {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string | null;
  cache_control?: AnthropicCacheControl;
}

/** A call of a tool. */
export interface AnthropicToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  cache_control?: AnthropicCacheControl;
}

/** The answer to a call. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  is_error?: boolean;
  cache_control?: AnthropicCacheControl;
}
