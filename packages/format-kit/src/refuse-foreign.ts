import { HistoryError, isObject } from "@agent-history/core";

/** Names of message formats, as in `origin.format`. */
export type MessageFormatName = keyof typeof FORMATS;

/** The description of each format's messages, and the function that accepts them. */
const FORMATS = {
  langchain: ["LangChain messages", "`fitMessages` of agent-history/langchain"],
  google: ["Gemini contents", "`fitContents` of agent-history/google"],
  "ai-sdk-ui": [
    "UI messages of the AI SDK",
    "`fitModelMessages` of agent-history/ai-sdk, with `convertToModelMessages` of ai",
  ],
  "ai-sdk": ["model messages of the AI SDK", "`fitModelMessages` of agent-history/ai-sdk"],
  anthropic: ["Anthropic messages", "`fitAnthropicRequest` of agent-history/anthropic"],
  "openai-agents": [
    "items of the OpenAI Agents SDK",
    "`fitModelInput` of agent-history/openai-agents",
  ],
  "openai-responses": ["items of the Responses API", "`fitResponseItems` of agent-history/openai"],
  "openai-chat": ["chat messages", "`fitChatMessages` of agent-history/openai"],
} as const;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the format of a message by fields unique to that format; `undefined` if it has none. */
function formatOf(message: Fields, own: MessageFormatName): MessageFormatName | undefined {
  const { type, role, content, parts, tool_calls: calls } = message;
  const isResult = "tool_call_id" in message;
  const isOneOf = (...types: readonly unknown[]): boolean => types.includes(type);
  const isCall = isOneOf("function_call", "function_call_result", "hosted_tool_call");
  if (isOneOf("human", "ai") || "lc_namespace" in message) return "langchain";
  if (some(calls, (call) => "args" in call) || (type === "tool" && isResult)) return "langchain";
  if (some(parts, (part) => part["type"] === undefined)) return "google";
  if (some(parts, (part) => typeof part["type"] === "string")) return "ai-sdk-ui";
  if (some(content, isModelPart)) return "ai-sdk";
  // LangChain has thinking blocks in Anthropic's form.
  if (some(content, (block) => isBlock(block, own === "langchain"))) return "anthropic";
  if ("callId" in message && isCall) return "openai-agents";
  if (role === undefined && "call_id" in message && "type" in message) return "openai-responses";
  if (some(content, (part) => /^(?:in|out)put_text$/u.test(String(part["type"])))) {
    return "openai-responses";
  }
  const isChat = some(calls, (call) => "function" in call) || (role === "tool" && isResult);
  if (type !== undefined || !isChat) return undefined;
  // LangChain accepts chat messages as plain objects.
  return own === "langchain" ? own : "openai-chat";
}

function isModelPart(part: Fields): boolean {
  return "toolCallId" in part && /^tool-(?:call|result)$/u.test(String(part["type"]));
}

function isBlock({ type, ...block }: Fields, mayThink: boolean): boolean {
  if (type === "tool_use") return "input" in block;
  if (type === "tool_result") return "tool_use_id" in block;
  return type === "thinking" && "signature" in block && !mayThink;
}

/**
 * Refuses messages of another format, and values that are not messages. If one message has a field unique to its own format, the conversation counts as that format, however broken. Linear.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` that names the format and its function.
 */
export function refuseForeign(messages: readonly unknown[], own: MessageFormatName): void {
  if (!Array.isArray(messages)) return;
  let foreign: HistoryError | undefined;
  for (const [index, message] of messages.entries()) {
    const refusal = (came: string, advice = ""): HistoryError =>
      new HistoryError(`Expected ${FORMATS[own][0]}, got ${came} at index ${index}.${advice}`, {
        code: "INVALID_ENTRY",
        details: { format: own, index },
      });
    if (!isObject(message)) throw refusal(typeOf(message));
    const format = formatOf(message, own);
    if (format === own) return;
    if (format !== undefined) {
      const [says, use] = FORMATS[format];
      foreign ??= refusal(says, ` Use ${use} for these.`);
    }
    const { content } = message;
    if (content === undefined || typeof content === "string" || Array.isArray(content)) continue;
    if (content !== null) throw refusal(`content of type ${typeOf(content)}`);
  }
  if (foreign !== undefined) throw foreign;
}

/** Description of each API's tools. */
const TOOLS: Partial<Record<MessageFormatName, string>> = {
  google: "tools of Gemini (`functionDeclarations`)",
  anthropic: "tools of Anthropic (`input_schema`)",
  "openai-chat": "tools of chat completions (`function: { name }`)",
  "openai-responses": "tools of the Responses API (`type`, `name`)",
};

/** Returns the API whose tools have this shape; the first, if several do. */
function apiOf(tool: Fields): MessageFormatName | undefined {
  const { type, name } = tool;
  if ("functionDeclarations" in tool || "parametersJsonSchema" in tool) return "google";
  if (tool["input_schema"] !== undefined || /_\d{8}$/u.test(String(type))) return "anthropic";
  if (isObject(tool[type === "custom" ? "custom" : "function"])) return "openai-chat";
  const isNamed = (type === "function" || type === "custom") && typeof name === "string";
  return isNamed ? "openai-responses" : undefined;
}

/**
 * Refuses tools in the shape of another API, which would be miscounted and refused by the provider. An unknown shape is left to the format.
 *
 * @param own - The APIs whose shapes are accepted.
 * @throws `HistoryError` with code `INVALID_OPTION` that names the shape and the function that accepts it.
 */
export function refuseForeignTools(
  tools: readonly unknown[] | undefined,
  ...own: readonly [MessageFormatName, ...MessageFormatName[]]
): void {
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const format = isObject(tool) ? apiOf(tool) : undefined;
    if (format === undefined || own.includes(format)) continue;
    throw new HistoryError(
      `Expected ${TOOLS[own[0]] ?? "tools"}, got ${TOOLS[format]} at \`tools[${index}]\`. Use ${FORMATS[format][1]} for these.`,
      { code: "INVALID_OPTION", details: { option: "tools", format, index } },
    );
  }
}

function some(list: unknown, test: (one: Fields) => boolean): boolean {
  return Array.isArray(list) && list.some((one: unknown) => isObject(one) && test(one));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
