import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "@agent-history/core";
import { toJson } from "@agent-history/format-kit";
import { toChatMessages, toResponseItems } from "@agent-history/openai";

import { anthropicWire } from "./servers/anthropic-wire.ts";
import { chatWireOf, openaiChatWire } from "./servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "./servers/openai-responses-wire.ts";
import { objectAt, objectsAt, textIn } from "./servers/read-wire.ts";

const mistralWire = chatWireOf("mistral");

/**
 * Names the rules that a prompt breaks, as `anthropic: first-not-user`, each once. It is written plainly, as one does by hand, and repaired by nobody: what is wrong with the
 * entries is wrong with the request.
 *
 * @param viewer - Whose prompt it is.
 */
export function plainPromptProblems(
  entries: readonly HistoryEntry[],
  viewer?: Viewer,
): readonly string[] {
  const messages = toJson(toChatMessages(entries, viewer));
  const input = toJson(toResponseItems(entries, viewer));
  const chat = { model: "m", messages };
  const found = {
    "openai-chat": openaiChatWire.problems(chat),
    "openai-responses": openaiResponsesWire.problems({ model: "m", input }),
    anthropic: anthropicWire.problems(chatAsAnthropic(objectsAt(chat, "messages"))),
    mistral: mistralWire.problems(chat),
  };
  return Object.entries(found).flatMap(([provider, rules]) =>
    rules.map((rule) => `${provider}: ${rule}`),
  );
}

/** System messages stand apart, neighbors of one role are joined, and empty texts left out. */
function chatAsAnthropic(chat: readonly JsonObject[]): JsonObject {
  const messages: { role: string; content: JsonObject[] }[] = [];
  for (const message of chat.filter(({ role }) => role !== "system")) {
    const role = message["role"] === "assistant" ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else messages.push({ role, content: [...blocksOf(message)] });
  }
  return { model: "claude-opus-5-5", max_tokens: 64, messages };
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  const text = textOf(message["content"]);
  if (message["role"] === "tool") {
    const id = textIn(message["tool_call_id"]);
    return [{ type: "tool_result", tool_use_id: id, content: text }];
  }
  const calls = objectsAt(message, "tool_calls").map((call): JsonObject => {
    const name = objectAt(call, "function")["name"] ?? "";
    return { type: "tool_use", id: call["id"] ?? "", name, input: {} };
  });
  return [...(text === "" ? [] : [{ type: "text", text }]), ...calls];
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return objectsAt({ content: content ?? [] }, "content")
    .map(({ text, type }) => textIn(text ?? type))
    .join("");
}
