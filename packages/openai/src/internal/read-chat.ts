import type { Content, ContentPart, JsonObject, ObservationEntry } from "@agent-history/core";
import { isResultMedia } from "@agent-history/core/kit";
import {
  isJsonObject,
  isToolCall,
  nameOf,
  readCall,
  readCalls,
  readContent,
} from "@agent-history/format-kit";
import type { ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { chatCalls, chatInputParts, chatParts, functionCalls } from "./chat-parts.ts";

/** Reads a chat message; `undefined` if its role is unknown. */
export function readChatMessage(
  message: JsonObject,
  context: ReadContext,
): ParsedMessage | undefined {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return { says: { type: "system_message", content: readContent(content, chatInputParts) } };
    case "user":
      return readUserMessage(readContent(content, chatInputParts));
    case "assistant":
      return readAssistant(message, context);
    case "tool": {
      const id = nameOf(message["tool_call_id"]);
      const name = nameOf(message["name"]);
      const call = context.waiting.answer(id ?? "");
      const callId = id ?? call?.id ?? ownId(context.index);
      const says = resultOf(callId, name ?? call?.name, readContent(content, chatInputParts));
      return { says, ...(name !== undefined && { extra: { as: "named" } }) };
    }
    case "function": {
      const name = nameOf(message["name"]) ?? "unknown_tool";
      const call = context.waiting.answer(functionKey(name));
      const callId = call?.id ?? ownId(context.index);
      const says = resultOf(callId, name, readContent(content, chatInputParts));
      return { says, extra: { as: "function" } };
    }
    default:
      return undefined;
  }
}

/** A message that shows the media of results is not a user's request. */
function readUserMessage(content: Content): ParsedMessage {
  const type = isResultMedia(content) ? "global_observation" : "user_message";
  return { says: { type, content } };
}

function resultOf(
  callId: string,
  toolName: string | undefined,
  content: Content,
): Omit<ObservationEntry, "id" | "createdAtMs"> {
  const named = { callId, toolName: toolName ?? "unknown_tool" };
  return { type: "observation", ...named, outcome: "success", content };
}

/** Reads an assistant message; it becomes an `action` if it has calls. */
function readAssistant(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const { function_call: legacy } = message;
  const { calls: listed, unknown } = readCalls(message["tool_calls"], chatCalls, index);
  const call = isJsonObject(legacy)
    ? readCall(legacy, functionCalls, `function_${ownId(index)}`)
    : undefined;
  const isOld = call !== undefined && isToolCall(call);
  const calls = isOld ? [...listed, { key: functionKey(call.name), call }] : listed;
  waiting.add(calls);
  const toolCalls = calls.map((one) => one.call);
  const content = readFields(message, unknown);
  return toolCalls.length === 0
    ? { says: { type: "assistant_message", content: content ?? "" } }
    : { says: { type: "action", toolCalls, ...(content !== undefined && { content }) } };
}

/** A position-based id that does not clash with ids of providers, some of which number their calls. */
function ownId(index: number): string {
  return `call_at_${index}`;
}

/** Pairing key: the result of a `function_call` has only the function's name. */
function functionKey(name: string): string {
  return `function_call ${name}`;
}

/** Fields in which OpenRouter and LiteLLM return signed reasoning. */
export const SIGNED_FIELDS = ["reasoning_details", "thinking_blocks"] as const;

/** Reads the content of an assistant message from all its fields; `undefined` if there is none. */
function readFields(
  { content: wire, refusal, audio, reasoning_content: thought, ...fields }: JsonObject,
  unknown: readonly ContentPart[],
): Content | undefined {
  const content =
    typeof wire === "string" || Array.isArray(wire) ? readContent(wire, chatParts) : undefined;
  const after: ContentPart[] = [...unknown];
  const refused = nameOf(refusal);
  if (refused !== undefined) {
    after.push({ type: "text", text: refused, extra: { field: "refusal" } });
  }
  if (isJsonObject(audio)) after.push({ type: "opaque", data: audio, extra: { field: "audio" } });
  const before: ContentPart[] = [];
  if (typeof thought === "string") {
    before.push({ type: "reasoning", text: thought, extra: { field: "reasoning_content" } });
  }
  // Kept whole: they contain the signatures, and it is unknown which of their text the model reads.
  for (const field of SIGNED_FIELDS) {
    const { [field]: signed } = fields;
    if (!Array.isArray(signed)) continue;
    before.push({ type: "reasoning", text: "", extra: { field, [field]: signed } });
  }
  if (before.length + after.length === 0) return content;
  const said: readonly ContentPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content, extra: { as: "content" } }]
      : (content ?? []);
  return [...before, ...said, ...after];
}
