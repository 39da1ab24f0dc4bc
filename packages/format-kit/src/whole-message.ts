import type { HistoryEntry, JsonValue } from "@agent-history/core";

import type { ParsedMessage } from "./parsed-message.ts";

/** Returns a message of an unknown kind as an answer that holds it whole. */
export function wholeMessage(message: JsonValue): ParsedMessage {
  const content = [{ type: "opaque", data: message, extra: { as: "message" } }] as const;
  return { says: { type: "assistant_message", content } };
}

/** Returns the message that an entry holds whole, if it does. */
export function wholeMessageOf({ type, content }: HistoryEntry): JsonValue | undefined {
  if (type !== "assistant_message" || typeof content === "string") return undefined;
  const [part] = content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole ? part.data : undefined;
}
