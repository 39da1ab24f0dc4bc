import { HistoryError } from "@agent-history/core";

/** The formats of messages, by what `origin.format` calls them. */
export type MessageFormatName =
  | "openai-chat"
  | "openai-responses"
  | "openai-agents"
  | "anthropic"
  | "google"
  | "ai-sdk"
  | "ai-sdk-ui"
  | "langchain";

interface KnownFormat {
  readonly name: MessageFormatName;
  /** What its messages are called. */
  readonly says: string;
  /** The function that takes them. */
  readonly use: string;
  /** Tells a message by what no other format has. */
  readonly has: (message: Fields, own?: MessageFormatName) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const CALLS = new Set(["function_call", "function_call_result", "hosted_tool_call"]);

const FORMATS: readonly KnownFormat[] = [
  {
    name: "langchain",
    says: "LangChain messages",
    use: "`fitMessages` of @agent-history/langchain",
    has: (message) =>
      "lc_namespace" in message ||
      objectsIn(message["tool_calls"]).some((call) => "args" in call) ||
      message["type"] === "human" ||
      message["type"] === "ai" ||
      (message["type"] === "tool" && "tool_call_id" in message),
  },
  {
    name: "google",
    says: "Gemini contents",
    use: "`fitContents` of @agent-history/google",
    has: ({ parts }) => objectsIn(parts).some((part) => part["type"] === undefined),
  },
  {
    name: "ai-sdk-ui",
    says: "UI messages of the AI SDK",
    use: "`fitModelMessages` of agent-history/ai-sdk, with `convertToModelMessages` of ai",
    has: ({ parts }) => objectsIn(parts).some(({ type }) => typeof type === "string"),
  },
  {
    name: "ai-sdk",
    says: "model messages of the AI SDK",
    use: "`fitModelMessages` of agent-history/ai-sdk",
    has: ({ content }) =>
      objectsIn(content).some(
        (part) => "toolCallId" in part && /^tool-(?:call|result)$/u.test(String(part["type"])),
      ),
  },
  {
    name: "anthropic",
    says: "Anthropic messages",
    use: "`fitAnthropicRequest` of @agent-history/anthropic",
    // LangChain has Anthropic's thinking as it is.
    has: ({ content }, own) =>
      objectsIn(content).some(
        (block) =>
          (block["type"] === "tool_use" && "input" in block) ||
          (block["type"] === "tool_result" && "tool_use_id" in block) ||
          (own !== "langchain" && block["type"] === "thinking" && "signature" in block),
      ),
  },
  {
    name: "openai-agents",
    says: "items of the OpenAI Agents SDK",
    use: "`fitModelInput` of @agent-history/openai-agents",
    has: (message) => "callId" in message && CALLS.has(String(message["type"])),
  },
  {
    name: "openai-responses",
    says: "items of the Responses API",
    use: "`fitResponseItems` of agent-history/openai",
    has: (message) =>
      (message["role"] === undefined && "call_id" in message && "type" in message) ||
      objectsIn(message["content"]).some(
        ({ type }) => type === "input_text" || type === "output_text",
      ),
  },
  {
    name: "openai-chat",
    says: "chat messages",
    use: "`fitChatMessages` of agent-history/openai",
    has: (message) =>
      message["type"] === undefined &&
      (objectsIn(message["tool_calls"]).some((call) => "function" in call) ||
        (message["role"] === "tool" && "tool_call_id" in message)),
  },
];

/**
 * Refuses messages that are of another format, and what is no message. A conversation in which one message has what only its own format has is of that format, however broken. Linear.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` that names the format and its function.
 */
export function refuseForeign(messages: readonly unknown[], own: MessageFormatName): void {
  if (!Array.isArray(messages)) return;
  let foreign: { readonly format: KnownFormat; readonly index: number } | undefined;
  for (const [index, message] of messages.entries()) {
    if (!isFields(message)) throw refusal(own, typeOf(message), index);
    const format = FORMATS.find(({ has }) => has(message, own));
    if (format?.name === own) return;
    if (format !== undefined) foreign ??= { format, index };
    const { content } = message;
    const isRubbish = typeof content === "object" ? isFields(content) : typeof content !== "string";
    if (isRubbish && content !== undefined) {
      throw refusal(own, `content of type ${typeOf(content)}`, index);
    }
  }
  if (foreign === undefined) return;
  const { format, index } = foreign;
  throw refusal(own, format.says, index, ` For these there is ${format.use}.`);
}

/** Tools in the shape of each API, by what no other has; of several, the first that fits. */
const TOOLS: readonly KnownFormat[] = [
  {
    name: "google",
    says: "tools of Gemini (`functionDeclarations`)",
    use: "`fitContents` of @agent-history/google",
    has: (tool) => "functionDeclarations" in tool || "parametersJsonSchema" in tool,
  },
  {
    name: "anthropic",
    says: "tools of Anthropic (`input_schema`)",
    use: "`fitAnthropicRequest` of @agent-history/anthropic",
    has: ({ type, input_schema: schema }) => schema !== undefined || /_\d{8}$/u.test(String(type)),
  },
  {
    name: "openai-chat",
    says: "tools of chat completions (`function: { name }`)",
    use: "`fitChatMessages` of agent-history/openai",
    has: ({ type, ...tool }) => isFields(tool[type === "custom" ? "custom" : "function"]),
  },
  {
    name: "openai-responses",
    says: "tools of the Responses API (`type`, `name`)",
    use: "`fitResponseItems` of agent-history/openai",
    has: ({ type, name }) => (type === "function" || type === "custom") && typeof name === "string",
  },
];

/**
 * Refuses tools in the shape of another API, which would be counted as something else and refused by the provider. A shape that nobody has is left to the format.
 *
 * @param own - The APIs whose shapes are taken.
 * @throws `HistoryError` with code `INVALID_OPTION` that names the shape and the function that takes it.
 */
export function refuseForeignTools(
  tools: readonly unknown[] | undefined,
  ...own: readonly MessageFormatName[]
): void {
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const shape = isFields(tool) ? TOOLS.find(({ has }) => has(tool)) : undefined;
    if (shape === undefined || own.includes(shape.name)) continue;
    const expected = TOOLS.find(({ name }) => name === own[0])?.says ?? "tools";
    throw new HistoryError(
      `Expected ${expected}, got ${shape.says} at \`tools[${index}]\`. For these there is ${shape.use}.`,
      { code: "INVALID_OPTION", details: { option: "tools", format: shape.name, index } },
    );
  }
}

function refusal(
  own: MessageFormatName,
  came: string,
  index: number,
  advice: string = "",
): HistoryError {
  const expected = FORMATS.find(({ name }) => name === own)?.says ?? "messages";
  return new HistoryError(`Expected ${expected}, got ${came} at index ${index}.${advice}`, {
    code: "INVALID_ENTRY",
    details: { format: own, index },
  });
}

function objectsIn(list: unknown): readonly Fields[] {
  return Array.isArray(list) ? list.filter((one: unknown) => isFields(one)) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
