import type { JsonObject } from "@agent-history/core";
import { nameOf, readContent } from "@agent-history/format-kit";
import type { EntryDraft, WaitingCalls } from "@agent-history/format-kit";

import { readAssistant } from "./assistant-message.ts";
import { chatParts } from "./chat-parts.ts";

/** What is known when a message is read. */
export interface ReadContext {
  /** Its place in the conversation, from 0. */
  readonly index: number;
  /** The calls of the messages before. */
  readonly waiting: WaitingCalls;
}

/** Reads a message by its role; nothing where no role of chats is known by it. */
export function readMessage(message: JsonObject, context: ReadContext): EntryDraft | undefined {
  switch (message["role"]) {
    case "system":
    case "developer":
      return {
        says: { type: "system_message", content: readContent(message["content"], chatParts) },
      };
    case "user":
      return {
        says: { type: "user_message", content: readContent(message["content"], chatParts) },
      };
    case "assistant":
      return readAssistant(message, context);
    case "tool":
      return readToolMessage(message, context);
    case "function":
      return readFunctionMessage(message, context);
    default:
      return undefined;
  }
}

function readToolMessage(message: JsonObject, { index, waiting }: ReadContext): EntryDraft {
  const id = nameOf(message["tool_call_id"]);
  const call = waiting.answer(id ?? "");
  const name = nameOf(message["name"]);
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: name ?? call?.name ?? "unknown_tool",
      outcome: "success",
      content: readContent(message["content"], chatParts),
    },
    ...(name !== undefined && { extra: { as: "named" } }),
  };
}

function readFunctionMessage(message: JsonObject, { index, waiting }: ReadContext): EntryDraft {
  const name = nameOf(message["name"]) ?? "unknown_tool";
  return {
    says: {
      type: "observation",
      callId: waiting.answer(`function_call ${name}`)?.id ?? `call_${index}`,
      toolName: name,
      outcome: "success",
      content: readContent(message["content"], chatParts),
    },
    extra: { as: "function" },
  };
}
