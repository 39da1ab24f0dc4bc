import type { HistoryEntry, JsonObject } from "@agent-history/core";

import type { EntryDraft } from "./entry-draft.ts";
import { isJsonObject } from "./is-json-object.ts";

/** Gives a message of an unknown kind as an answer that holds it whole. */
export function wholeMessage(message: JsonObject): EntryDraft {
  const content = [{ type: "opaque", data: message, extra: { as: "message" } }] as const;
  return { says: { type: "assistant_message", content } };
}

/** Gives the message that an entry holds whole, if it does. */
export function wholeMessageOf({ type, content }: HistoryEntry): JsonObject | undefined {
  if (type !== "assistant_message" || content === undefined || typeof content === "string")
    return undefined;
  const [part] = content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole && isJsonObject(part.data) ? part.data : undefined;
}
