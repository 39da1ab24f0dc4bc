import type { ToolHandler } from "@agent-history/core";

import type { ChatToolMessage } from "./chat-message.ts";
import type { ResponseFunctionCall, ResponseFunctionOutput } from "./response-item.ts";

/** A function tool of chat completions, assignable to the SDK's `ChatCompletionTool`. */
interface ChatFunctionTool {
  type: "function";
  function: { name: string; description?: string; parameters?: { [key: string]: unknown } };
}

/** A function tool of the Responses API, assignable to the SDK's `FunctionTool`. */
interface ResponseFunctionTool {
  type: "function";
  name: string;
  description?: string;
  parameters: { [key: string]: unknown };
  strict: false;
}

/** A function call of a chat completion. `answer` ignores other kinds of calls. */
interface ChatCallLike {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** Tools for a request, and a function that answers their calls. */
interface AnsweredTools<Tool, Call, Answer> {
  readonly tools: Tool[];
  /** Returns what answers a call; `undefined` if the call is of another tool. */
  readonly answer: (
    call: Call,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<Answer | undefined>;
}

type ChatTools = AnsweredTools<ChatFunctionTool, ChatCallLike, ChatToolMessage>;
type ResponseCall = Pick<ResponseFunctionCall, "call_id" | "name" | "arguments">;
type ResponseTools = AnsweredTools<ResponseFunctionTool, ResponseCall, ResponseFunctionOutput>;

/**
 * Makes tools for `client.chat.completions.create` from tool handlers, e.g. from `recallTools` of `@agent-history/history-manager`. `answer` throws what the handler throws.
 *
 * @example
 * ```ts
 * import { toChatTools } from "@agent-history/openai";
 *
 * const run = async (input: unknown) => ({ outcome: "success" as const, content: `got ${input}`, sources: [] });
 * const { tools, answer } = toChatTools([{ name: "echo", description: "Echoes.", run }]);
 * tools;
 * // => [{ type: "function", function: { name: "echo", description: "Echoes." } }]
 * await answer({ id: "call-1", function: { name: "echo", arguments: "{}" } });
 * // => { role: "tool", tool_call_id: "call-1", content: "got {}" }
 * ```
 */
export function toChatTools(handlers: readonly ToolHandler[]): ChatTools {
  return {
    tools: handlers.map((handler) => ({ type: "function", function: definitionOf(handler) })),
    answer: async (call, options) => {
      const content = await contentOf(handlers, call.function, options);
      return content === undefined ? undefined : { role: "tool", tool_call_id: call.id, content };
    },
  };
}

/**
 * Makes tools for `client.responses.create` from tool handlers, e.g. from `recallTools` of `@agent-history/history-manager`. `answer` throws what the handler throws.
 *
 * @example
 * ```ts
 * import { toResponseTools } from "@agent-history/openai";
 *
 * const run = async (input: unknown) => ({ outcome: "success" as const, content: `got ${input}`, sources: [] });
 * const { tools, answer } = toResponseTools([{ name: "echo", run }]);
 * tools;
 * // => [{ type: "function", parameters: {}, strict: false, name: "echo" }]
 * await answer({ call_id: "call-1", name: "echo", arguments: "{}" });
 * // => { type: "function_call_output", call_id: "call-1", output: "got {}" }
 * ```
 */
export function toResponseTools(handlers: readonly ToolHandler[]): ResponseTools {
  return {
    tools: handlers.map((handler) => ({
      type: "function",
      parameters: {},
      strict: false,
      ...definitionOf(handler),
    })),
    answer: async (call, options) => {
      const output = await contentOf(handlers, call, options);
      return output === undefined
        ? undefined
        : { type: "function_call_output", call_id: call.call_id, output };
    },
  };
}

function definitionOf({
  name,
  description,
  parameters,
}: ToolHandler): ChatFunctionTool["function"] {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters: { ...parameters } }),
  };
}

async function contentOf(
  handlers: readonly ToolHandler[],
  call: ChatCallLike["function"],
  options: { readonly signal?: AbortSignal } | undefined,
): Promise<string | undefined> {
  const handler = handlers.find(({ name }) => name === call?.name);
  return (await handler?.run(call?.arguments, options))?.content;
}
