import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import { isJsonObject, textOf, waitingCalls } from "@agent-history/format-kit";
import type { WaitingCalls } from "@agent-history/format-kit";

/** Returns a recorded chat as entries that came from no format. An answer that says nothing is left out. */
export function chatToEntries(chat: readonly JsonObject[]): readonly HistoryEntry[] {
  const waiting = waitingCalls();
  return chat.flatMap((message) => {
    const content = textOf(message["content"]) ?? "";
    switch (message["role"]) {
      case "system":
        return [systemMessage({ content })];
      case "user":
        return [userMessage({ content })];
      case "tool":
        return [resultOf(message, content, waiting)];
      default:
        return answerOf(message, content, waiting);
    }
  });
}

function resultOf(message: JsonObject, content: string, waiting: WaitingCalls): HistoryEntry {
  const callId = textOf(message["tool_call_id"]) ?? "";
  const toolName = waiting.answer(callId)?.name ?? "unknown_tool";
  return observation({ callId, toolName, outcome: "success", content });
}

function answerOf(
  message: JsonObject,
  content: string,
  waiting: WaitingCalls,
): readonly HistoryEntry[] {
  const { tool_calls: list } = message;
  const toolCalls = (Array.isArray(list) ? list : []).map((call: JsonValue) => callOf(call));
  waiting.add(toolCalls.map((call) => ({ key: call.id, call })));
  if (toolCalls.length > 0) return [action({ toolCalls, ...(content !== "" && { content }) })];
  return content === "" ? [] : [assistantMessage({ content })];
}

function callOf(wire: JsonValue): ToolCall {
  const { id, function: called } = isJsonObject(wire) ? wire : {};
  const { name, arguments: text } = isJsonObject(called) ? called : {};
  return { id: textOf(id) ?? "", name: textOf(name) ?? "", arguments: textOf(text) ?? "" };
}
