import type { JsonObject } from "@agent-history/core";
import { parseJson } from "@agent-history/format-kit";

import { objectsAt, textIn } from "../servers/read-wire.ts";

/** Writes chat messages as a request to Anthropic, plainly, as one does by hand: what is wrong with the chat is wrong with the request. */
export function chatAsAnthropic(chat: readonly JsonObject[]): JsonObject {
  const isSystem = ({ role }: JsonObject): boolean => role === "system";
  const messages: { role: string; content: JsonObject[] }[] = [];
  for (const message of chat.filter((one) => !isSystem(one))) {
    const role = message["role"] === "assistant" ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else messages.push({ role, content: [...blocksOf(message)] });
  }
  const system = chat.filter(isSystem).map(({ content }) => textIn(content));
  return { model: "claude-opus-5-5", max_tokens: 64, system: system.join("\n"), messages };
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  const text = textIn(message["content"]);
  if (message["role"] === "tool") {
    const id = textIn(message["tool_call_id"]);
    return [{ type: "tool_result", tool_use_id: id, content: text }];
  }
  const calls = objectsAt(message, "tool_calls").map((call): JsonObject => {
    const [made] = objectsAt({ made: [call["function"] ?? {}] }, "made");
    const input = parseJson(textIn(made?.["arguments"])) ?? {};
    return { type: "tool_use", id: call["id"] ?? "", name: made?.["name"] ?? "", input };
  });
  return [...(text === "" ? [] : [{ type: "text", text }]), ...calls];
}
