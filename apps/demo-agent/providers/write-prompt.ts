import type { JsonObject, ToolCall, ToolDefinition } from "@agent-history/core";
import type { ChatMessage, ModelRequest } from "@agent-history/offline-model";
import { dynamicTool, jsonSchema } from "ai";
import type { ModelMessage, SystemModelMessage, ToolSet } from "ai";

/** A prompt as the AI SDK takes it. */
export interface SdkPrompt {
  readonly instructions: SystemModelMessage[];
  readonly messages: ModelMessage[];
  readonly tools: ToolSet;
}

/** Writes a request for the AI SDK. System messages go first, as some providers demand it; all else keeps its place. */
export function writePrompt({ messages, tools }: ModelRequest): SdkPrompt {
  return {
    instructions: messages.flatMap((message) => (message.role === "system" ? [message] : [])),
    messages: messages.flatMap(writeMessage),
    tools: Object.fromEntries(tools.map((definition) => [definition.name, writeTool(definition)])),
  };
}

function writeMessage(message: ChatMessage): readonly ModelMessage[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: message.content }];
    case "assistant": {
      const text = message.content === "" ? [] : [{ type: "text", text: message.content } as const];
      const content = [...text, ...(message.toolCalls ?? []).map(writeCall)];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool": {
      const { callId, toolName, content } = message;
      const output = { type: "text", value: content } as const;
      const result = { type: "tool-result", toolCallId: safeId(callId), toolName, output } as const;
      return [{ role: "tool", content: [result] }];
    }
  }
}

function writeCall(call: ToolCall): {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
} {
  const { id, name, arguments: text } = call;
  return { type: "tool-call", toolCallId: safeId(id), toolName: name, input: readArguments(text) };
}

/** Anthropic takes no other signs, and a thread may have begun on another model. */
function safeId(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_") || "_";
}

/** A provider takes an object only; what a model wrote instead of one stands in it. */
function readArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Not JSON.
  }
  return { arguments: text };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function writeTool({ description = "", parameters }: ToolDefinition): ToolSet[string] {
  const inputSchema = jsonSchema({ type: "object", ...parameters });
  // Without `execute`: the team makes the calls.
  return dynamicTool({ description, inputSchema });
}
