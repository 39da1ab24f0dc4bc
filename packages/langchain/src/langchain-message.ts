/** What `fromMessages` takes: any message of LangChain's, of any version of `@langchain/core`, or a plain object that LangChain takes for one. */
export interface LangChainMessageLike {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
  readonly additional_kwargs?: unknown;
  readonly response_metadata?: unknown;
}

/**
 * A message as a plain object, which LangChain's models, prompts and agents take beside their own (`BaseMessageLike`). Fields that came with a message and are
 * not named here are there all the same.
 */
export type LangChainMessage = LangChainTextMessage | LangChainAIMessage | LangChainToolMessage;

/** Instructions, or what a user says. */
export interface LangChainTextMessage {
  type: "system" | "human";
  content: string | LangChainBlock[];
  [field: string]: unknown;
}

/** What the model says, and the tools it calls. */
export interface LangChainAIMessage {
  type: "ai";
  content: string | LangChainBlock[];
  tool_calls?: LangChainToolCall[];
  [field: string]: unknown;
}

/** The answer to one tool call. */
export interface LangChainToolMessage {
  type: "tool";
  content: string | LangChainBlock[];
  tool_call_id: string;
  status?: "success" | "error";
  [field: string]: unknown;
}

/** A block of a content: text, an image, reasoning, and whatever a provider has. */
export interface LangChainBlock {
  type: string;
  [field: string]: unknown;
}

/** One call of a tool. */
export interface LangChainToolCall {
  type: "tool_call";
  id?: string;
  name: string;
  args: { [name: string]: unknown };
}
