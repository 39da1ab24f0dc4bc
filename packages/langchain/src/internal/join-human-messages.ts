import type { JsonObject, JsonValue } from "@agent-history/core";
import { textOf, toJsonObject } from "@agent-history/format-kit";

import type { MakeMessage } from "./make-messages.ts";
import { messageFields } from "./message-fields.ts";

/** Puts what a user's message says before the blocks of the next one, as a message of its own; neither is changed. */
export function joinHumanMessages(
  make: MakeMessage,
): (before: object, message: object) => object | undefined {
  return (before, message) => {
    const first = toJsonObject(messageFields(before));
    const next = toJsonObject(messageFields(message));
    if (!isHuman(first) || !isHuman(next)) return undefined;
    const content = [...blocksOf(first["content"]), ...blocksOf(next["content"])];
    const { role: _, ...said } = next;
    return make({ ...said, type: "human", content });
  };
}

function isHuman({ type, role, content }: JsonObject): boolean {
  const name = type ?? role;
  const isSaid = typeof content === "string" || Array.isArray(content);
  return (name === "human" || name === "user") && isSaid;
}

function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  const text = textOf(content);
  return text === undefined || text === "" ? [] : [{ type: "text", text }];
}
