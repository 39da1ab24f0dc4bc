import { APICallError } from "@ai-sdk/provider";
import type {
  LanguageModelV4,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";

import { outputText } from "./prompt.ts";
import { reply } from "./reply.ts";

/**
 * A language model of the AI SDK that answers by the rules of `reply`, behind a check as strict as a provider's: it answers 400 to a prompt over
 * its window, to a result without its call, a call without its result, and to an assistant's message first. It cuts an answer that has no room left, and
 * reports how much of a prompt stands at the beginning of the previous prompt of the same agent, as a prompt cache would.
 */
export function scriptedModel(
  contextTokens: number,
  count: (text: string) => number,
): LanguageModelV4 {
  let calls = 0;
  const previous = new Map<string, readonly string[]>();
  const doGenerate: LanguageModelV4["doGenerate"] = async ({ prompt, tools = [] }) => {
    // The tools stand before the first message.
    const parts = [JSON.stringify(tools), ...prompt.flatMap(wireParts)];
    const tokensOf = (some: readonly string[]): number =>
      some.reduce((sum, part) => sum + count(part) + PART_TOKENS, 0);
    const total = tokensOf(parts);
    refuse(prompt, total, contextTokens);
    // An agent is known by its instructions and its first message.
    const agent = parts.slice(1, 3).join("\n");
    const before = previous.get(agent) ?? [];
    previous.set(agent, parts);
    const changed = parts.findIndex((part, index) => part !== before[index]);
    const cacheRead = tokensOf(parts.slice(0, changed === -1 ? parts.length : changed));
    const { text: whole, calls: requests = [] } = reply(prompt);
    const room = contextTokens - total;
    const isCut = count(whole) > room;
    const text = isCut ? whole.slice(0, Math.floor((whole.length * room) / count(whole))) : whole;
    const output = count(text) + count(JSON.stringify(requests));
    const unified = isCut ? "length" : requests.length > 0 ? "tool-calls" : "stop";
    return {
      content: [
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...requests.map(({ name, input }) => ({
          type: "tool-call" as const,
          toolCallId: `call-${++calls}`,
          toolName: name,
          input: JSON.stringify(input),
        })),
      ],
      finishReason: { unified, raw: undefined },
      usage: {
        inputTokens: { total, noCache: total - cacheRead, cacheRead, cacheWrite: undefined },
        outputTokens: { total: output, text: output, reasoning: undefined },
      },
      warnings: [],
    };
  };
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate,
    doStream: () => Promise.reject(new Error("Wrap the model in simulateStreamingMiddleware.")),
  };
}

/** What a message, a call or a result costs beside its text. */
const PART_TOKENS = 4;

/** The parts of a message as they go over the wire: what is counted, and what a prompt cache compares. */
function wireParts({ role, content }: LanguageModelV4Message): readonly string[] {
  if (typeof content === "string") return [`${role}: ${content}`];
  return content.map((part) => {
    if (part.type === "text") return `${role}: ${part.text}`;
    if (part.type === "tool-call") return `${part.toolName} ${JSON.stringify(part.input)}`;
    return part.type === "tool-result" ? outputText(part.output) : part.type;
  });
}

/** Refuses what providers refuse. */
function refuse(prompt: LanguageModelV4Prompt, tokens: number, contextTokens: number): void {
  const size = `${tokens} of ${contextTokens} tokens`;
  if (tokens > contextTokens) throw badRequest(`context_length_exceeded: ${size}`);
  const messages = prompt.filter(({ role }) => role !== "system");
  if (messages[0]?.role !== "user") throw badRequest("the first message must be the user's");
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role !== "tool" && open.size > 0) break;
    for (const part of typeof message.content === "string" ? [] : message.content) {
      if (part.type === "tool-call") open.add(part.toolCallId);
      if (part.type !== "tool-result" || open.delete(part.toolCallId)) continue;
      throw badRequest("a tool result without its call");
    }
  }
  if (open.size > 0) throw badRequest("a tool call without its result");
}

function badRequest(reason: string): APICallError {
  const message = `400 ${reason}`;
  return new APICallError({ message, statusCode: 400, url: "scripted:", requestBodyValues: {} });
}
