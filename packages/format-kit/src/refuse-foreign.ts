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
  readonly has: (message: Fields) => boolean;
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
    has: ({ content }) =>
      objectsIn(content).some(
        (block) =>
          (block["type"] === "tool_use" && "input" in block) ||
          (block["type"] === "tool_result" && "tool_use_id" in block) ||
          (block["type"] === "thinking" && "signature" in block),
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
    const format = FORMATS.find(({ has }) => has(message));
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
