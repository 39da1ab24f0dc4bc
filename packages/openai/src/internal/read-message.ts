import type { JsonObject } from "@agent-history/core";

import { readAssistant } from "./assistant-message.ts";
import { readContent } from "./chat-parts.ts";
import type { MessageDraft } from "./message-draft.ts";
import type { WaitingCalls } from "./waiting-calls.ts";
import { nameOf } from "./wire-text.ts";

/** What is known when a message is read. */
export interface ReadContext {
  /** Its place in the conversation, from 0. */
  readonly index: number;
  /** The calls of the messages before. */
  readonly waiting: WaitingCalls;
}

/** Reads a message by its role; nothing where no role of chats is known by it. */
export function readMessage(message: JsonObject, context: ReadContext): MessageDraft | undefined {
  switch (message["role"]) {
    case "system":
    case "developer":
      return { says: { type: "system_message", content: readContent(message["content"]) } };
    case "user":
      return { says: { type: "user_message", content: readContent(message["content"]) } };
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

function readToolMessage(message: JsonObject, { index, waiting }: ReadContext): MessageDraft {
  const id = nameOf(message["tool_call_id"]);
  const call = waiting.answer(id ?? "");
  const name = nameOf(message["name"]);
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: name ?? call?.name ?? "unknown_tool",
      outcome: "success",
      content: readContent(message["content"]),
    },
    ...(name !== undefined && { extra: { as: "named" } }),
  };
}

function readFunctionMessage(message: JsonObject, { index, waiting }: ReadContext): MessageDraft {
  const name = nameOf(message["name"]) ?? "unknown_tool";
  return {
    says: {
      type: "observation",
      callId: waiting.answer(`function_call ${name}`)?.id ?? `call_${index}`,
      toolName: name,
      outcome: "success",
      content: readContent(message["content"]),
    },
    extra: { as: "function" },
  };
}
